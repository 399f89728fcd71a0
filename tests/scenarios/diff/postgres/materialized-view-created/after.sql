CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE MATERIALIZED VIEW mv AS SELECT id, n FROM t;
CREATE UNIQUE INDEX mv_id ON mv (id);
