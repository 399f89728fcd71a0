CREATE TABLE t (a timestamptz DEFAULT now());
