CREATE TABLE t (a varchar(5));
INSERT INTO t VALUES ('abc');
