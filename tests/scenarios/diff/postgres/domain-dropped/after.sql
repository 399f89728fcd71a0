CREATE TABLE t (p integer);
