CREATE TABLE t (id integer PRIMARY KEY, a text, n integer, m numeric(8,2), z boolean NOT NULL DEFAULT false);
