CREATE TABLE t (n int, m int, CONSTRAINT c1 CHECK (n > 1 and n < 100), CONSTRAINT c3 CHECK (n <> m + 1));
