CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
ALTER TABLE t ADD CONSTRAINT t_a_u UNIQUE (a);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
