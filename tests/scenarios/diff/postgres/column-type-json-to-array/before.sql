CREATE TABLE t (a jsonb, n json, v jsonb);
INSERT INTO t VALUES ('["b", "a", null]', '[1, 2]', '["abc"]'), ('[]', NULL, NULL);
