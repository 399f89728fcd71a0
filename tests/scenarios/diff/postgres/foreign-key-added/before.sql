CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE TABLE u (t_id integer);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
INSERT INTO u VALUES (1);
