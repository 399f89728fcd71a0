CREATE TYPE pair AS (x integer, z text);
CREATE TABLE t (id integer PRIMARY KEY, p pair);
INSERT INTO t VALUES (1, ROW(1, 'abcdef'));
