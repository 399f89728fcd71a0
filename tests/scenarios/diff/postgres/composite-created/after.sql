CREATE TYPE point2 AS (x integer, y integer);
CREATE TABLE t (id integer, p point2);
