CREATE TABLE t (a int, b int);
CREATE STATISTICS kept ON a, b FROM t;
