CREATE TABLE t (a varchar(3));
