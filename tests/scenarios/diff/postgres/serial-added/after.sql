CREATE TABLE t (a text, id serial);
