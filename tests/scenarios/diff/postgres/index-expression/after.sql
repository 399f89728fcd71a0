CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE INDEX t_e ON t (lower(a), (n + 1) DESC NULLS LAST);
