CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE MATERIALIZED VIEW mv AS SELECT id, n FROM t;
CREATE INDEX mv_n ON mv (n);
