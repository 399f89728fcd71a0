CREATE TABLE t (a VARCHAR CHECK (a <> 'open'));
