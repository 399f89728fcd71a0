CREATE TABLE t (a integer, b text);
