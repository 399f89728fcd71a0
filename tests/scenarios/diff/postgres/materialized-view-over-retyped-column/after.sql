CREATE TABLE t (id integer PRIMARY KEY, a text, n bigint);
CREATE MATERIALIZED VIEW mv AS SELECT id, n FROM t;
CREATE INDEX mv_n ON mv (n);
