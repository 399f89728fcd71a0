CREATE TABLE t (id integer NOT NULL);
