CREATE TABLE t (n integer, d integer);
