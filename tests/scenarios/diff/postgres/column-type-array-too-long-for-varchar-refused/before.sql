CREATE TABLE t (a text[]);
INSERT INTO t VALUES ('{abcd}');
