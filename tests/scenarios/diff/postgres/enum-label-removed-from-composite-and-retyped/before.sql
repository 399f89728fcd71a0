CREATE TYPE e AS ENUM ('a', 'b', 'w');
CREATE TYPE pair AS (label e, n int);
CREATE TABLE t (id int PRIMARY KEY, k e DEFAULT 'w', p pair, l e NOT NULL DEFAULT 'a');
INSERT INTO t VALUES (1, 'a', ROW('b', 2)), (2, NULL, NULL);
