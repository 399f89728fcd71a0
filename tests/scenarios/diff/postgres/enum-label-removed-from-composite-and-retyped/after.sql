CREATE TYPE e AS ENUM ('a', 'b');
CREATE TYPE pair AS (label e, n int);
CREATE TABLE t (id int PRIMARY KEY, k text DEFAULT 'w', p pair, l e NOT NULL DEFAULT 'a');
