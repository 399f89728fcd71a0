CREATE TABLE t (a int PRIMARY KEY, b int AS (a * 2) VIRTUAL);
