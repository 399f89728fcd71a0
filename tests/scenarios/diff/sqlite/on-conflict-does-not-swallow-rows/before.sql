CREATE TABLE t (a int, b text);
INSERT INTO t VALUES (1, 'x'), (1, 'y'), (NULL, 'z');
