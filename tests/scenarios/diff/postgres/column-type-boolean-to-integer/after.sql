CREATE TABLE t (a integer DEFAULT 1);
