CREATE TABLE t (a int, b int, PRIMARY KEY (a, b));
INSERT INTO t VALUES (1, 2);
