CREATE TABLE t (a varchar(50));
