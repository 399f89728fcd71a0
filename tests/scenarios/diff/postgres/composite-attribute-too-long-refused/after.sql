CREATE TYPE pair AS (x integer, z varchar(3));
CREATE TABLE t (id integer PRIMARY KEY, p pair);
