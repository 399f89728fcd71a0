CREATE TABLE t (a varchar(36));
