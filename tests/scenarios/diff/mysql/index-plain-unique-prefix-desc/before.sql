CREATE TABLE t (a text, b int);
