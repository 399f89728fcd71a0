CREATE TABLE t (s varchar(9));
CREATE INDEX i ON t (s) WHERE s IN ('new', 'seen');
