CREATE TABLE t (id integer);
