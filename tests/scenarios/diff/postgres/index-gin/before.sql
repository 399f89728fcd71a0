CREATE TABLE t (j jsonb, x text[]);
