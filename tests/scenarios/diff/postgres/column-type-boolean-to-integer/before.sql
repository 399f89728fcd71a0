CREATE TABLE t (a boolean DEFAULT true);
INSERT INTO t VALUES (true), (NULL);
