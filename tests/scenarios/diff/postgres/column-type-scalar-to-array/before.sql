CREATE TABLE t (a text);
INSERT INTO t VALUES ('abc'), (NULL);
