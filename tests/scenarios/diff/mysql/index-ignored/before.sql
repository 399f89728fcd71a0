CREATE TABLE t (a int, b int, c varchar(30), KEY i (a), KEY j (b) IGNORED, FULLTEXT KEY f (c));
INSERT INTO t VALUES (1, 2, 'x');
