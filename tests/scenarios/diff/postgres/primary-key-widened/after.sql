CREATE TABLE t (a integer NOT NULL, b integer NOT NULL, PRIMARY KEY (a, b));
