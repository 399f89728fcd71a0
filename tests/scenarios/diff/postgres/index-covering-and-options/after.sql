CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE INDEX t_c ON t (n) INCLUDE (a) WITH (fillfactor=70);
