CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
ALTER TABLE t ADD CONSTRAINT n_ck CHECK (n > 100) NOT VALID;
