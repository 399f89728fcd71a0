CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE STATISTICS st (dependencies) ON a, n FROM t;
