CREATE TABLE t (id integer PRIMARY KEY, n integer);
