CREATE TABLE t (a integer);
CREATE UNIQUE INDEX i ON t (a);
