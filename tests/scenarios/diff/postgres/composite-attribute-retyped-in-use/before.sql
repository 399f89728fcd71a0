CREATE TYPE pair AS (x integer, z text, n numeric(6,2));
CREATE TABLE t (id integer PRIMARY KEY, p pair, many pair[], CONSTRAINT c CHECK ((p).x > 0));
CREATE VIEW v AS SELECT id, (p).z AS z FROM t;
INSERT INTO t VALUES (1, ROW(1, 'a, "b"', 2.50), ARRAY[ROW(2, 'c', 1)::pair, NULL]), (2, NULL, NULL), (3, ROW(7, NULL, NULL), '{}');
