CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE VIEW v AS SELECT id, a, n FROM t;
