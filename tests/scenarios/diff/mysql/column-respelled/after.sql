CREATE TABLE t (bar int PRIMARY KEY, c varchar(10));
