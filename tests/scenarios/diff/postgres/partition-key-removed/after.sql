CREATE TABLE t (id int, d date NOT NULL);
