CREATE TABLE t (a int, b int, c varchar(30), KEY i (a) IGNORED, KEY j (b), FULLTEXT KEY f (c), UNIQUE KEY n (c, b) COMMENT 'n' IGNORED);
