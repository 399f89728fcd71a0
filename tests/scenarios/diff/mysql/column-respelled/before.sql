CREATE TABLE t (Bar int PRIMARY KEY, c varchar(10));
INSERT INTO t VALUES (1, 'x');
