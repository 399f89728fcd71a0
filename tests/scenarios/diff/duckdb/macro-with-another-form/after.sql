CREATE MACRO f(a) AS a + 2, (a, b) AS a + b;
CREATE TABLE t (x int, z int DEFAULT 3);
CREATE VIEW v AS SELECT f(x) AS y, f(x, z) AS w FROM t;
CREATE MACRO g(n) AS TABLE SELECT * FROM t WHERE x = n;
