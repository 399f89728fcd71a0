CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE INDEX t_p ON t (n) WHERE a IS NOT NULL AND n > 5;
