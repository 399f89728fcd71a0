CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE INDEX t_n ON t (n);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
