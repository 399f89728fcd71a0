CREATE TABLE t (s varchar(9), CONSTRAINT c CHECK (s <> 'Open'));
