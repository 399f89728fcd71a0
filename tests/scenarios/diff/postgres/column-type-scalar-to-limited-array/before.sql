CREATE TABLE t (a text, n text, e integer[]);
INSERT INTO t VALUES ('abc', '7', '{1,2}'), (NULL, NULL, NULL);
