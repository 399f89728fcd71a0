CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE PROCEDURE pr(x integer) LANGUAGE sql AS 'DELETE FROM t WHERE id = x';
