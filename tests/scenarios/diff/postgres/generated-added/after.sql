CREATE TABLE t (id integer PRIMARY KEY, a text, n integer, d integer GENERATED ALWAYS AS (n * 2) STORED);
