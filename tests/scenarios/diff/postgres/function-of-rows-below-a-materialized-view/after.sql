CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE VIEW v AS SELECT id, n::bigint AS n FROM t;
CREATE FUNCTION rows_of(x int) RETURNS SETOF v LANGUAGE sql STABLE AS 'SELECT * FROM public.v WHERE id = x';
CREATE MATERIALIZED VIEW m AS SELECT r.id, r.n FROM public.rows_of(1) r;
CREATE VIEW last AS SELECT id, n FROM m;
