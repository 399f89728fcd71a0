CREATE TABLE t (id serial);
