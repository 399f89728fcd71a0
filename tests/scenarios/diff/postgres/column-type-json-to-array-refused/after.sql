CREATE TABLE t (a text[]);
