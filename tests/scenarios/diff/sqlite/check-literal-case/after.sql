CREATE TABLE t (a TEXT, CHECK (a <> 'open'));
