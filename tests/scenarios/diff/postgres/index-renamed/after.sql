CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE INDEX t_n2 ON t (n);
