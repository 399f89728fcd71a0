CREATE TABLE t (n integer CONSTRAINT c CHECK (n > 1 AND n < 100));
