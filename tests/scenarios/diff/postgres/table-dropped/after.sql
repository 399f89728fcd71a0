CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
