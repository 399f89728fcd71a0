CREATE TABLE t (a text);
CREATE TABLE u (a text);
INSERT INTO t VALUES ('x');
