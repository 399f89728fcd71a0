CREATE TABLE t (a jsonb);
INSERT INTO t VALUES ('["x"]'), ('{"k": 1}');
