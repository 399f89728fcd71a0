CREATE TABLE t (a jsonb);
