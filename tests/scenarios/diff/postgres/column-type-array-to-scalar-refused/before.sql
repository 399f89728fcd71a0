CREATE TABLE t (a text[], b integer);
INSERT INTO t VALUES (ARRAY['abc'], 1), (ARRAY['x', 'y'], 2);
