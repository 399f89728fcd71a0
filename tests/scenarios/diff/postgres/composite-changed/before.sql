CREATE TYPE point2 AS (x integer, y integer);
