CREATE TABLE t (id integer, m text);
