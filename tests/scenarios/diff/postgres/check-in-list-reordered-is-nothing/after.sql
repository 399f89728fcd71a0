CREATE TABLE t (s text CONSTRAINT c CHECK (s = ANY (ARRAY['a', 'b'])));
