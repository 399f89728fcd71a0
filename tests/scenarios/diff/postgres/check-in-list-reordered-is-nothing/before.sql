CREATE TABLE t (s text CONSTRAINT c CHECK (s IN ('a', 'b')));
