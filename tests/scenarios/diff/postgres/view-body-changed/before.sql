CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE VIEW v AS SELECT id, a FROM t;
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
