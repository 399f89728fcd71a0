CREATE TABLE t (id integer PRIMARY KEY, a text CONSTRAINT a_ck CHECK (a <> ''), n integer);
CREATE INDEX t_a ON t (a);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
