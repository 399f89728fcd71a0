CREATE TABLE t (a text[]);
INSERT INTO t VALUES (ARRAY['abc']), (NULL);
