CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE MATERIALIZED VIEW mv AS SELECT id, n FROM t;
CREATE INDEX mv_n ON mv (n);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
