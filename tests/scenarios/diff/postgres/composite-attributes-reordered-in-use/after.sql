CREATE TYPE pair AS (z text, fresh boolean, x integer);
CREATE TABLE t (id integer PRIMARY KEY, p pair DEFAULT ROW('d', NULL, 1));
