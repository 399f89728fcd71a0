CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE UNIQUE INDEX t_a_u ON t (a) INCLUDE (n);
