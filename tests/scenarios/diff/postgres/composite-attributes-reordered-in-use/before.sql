CREATE TYPE pair AS (x integer, gone date, z text);
CREATE TABLE t (id integer PRIMARY KEY, p pair DEFAULT ROW(1, NULL, 'd'));
INSERT INTO t VALUES (1, ROW(1, '2020-01-01', 'a')), (2, NULL);
