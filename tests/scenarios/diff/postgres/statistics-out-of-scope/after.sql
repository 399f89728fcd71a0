CREATE TABLE t (a int, b int, c int);
CREATE STATISTICS other (ndistinct) ON a, b FROM t;
