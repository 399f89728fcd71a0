CREATE TYPE point2 AS (x integer, z text);
