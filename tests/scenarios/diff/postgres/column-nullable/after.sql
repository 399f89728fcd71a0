CREATE TABLE t (a integer);
