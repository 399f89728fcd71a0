CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE VIEW v AS SELECT id, n, a FROM t;
