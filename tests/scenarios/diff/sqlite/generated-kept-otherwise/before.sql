CREATE TABLE t (a int, b int AS (a * 2) STORED);
INSERT INTO t VALUES (1);
