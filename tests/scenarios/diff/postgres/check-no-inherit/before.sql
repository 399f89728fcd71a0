CREATE TABLE t (n integer);
