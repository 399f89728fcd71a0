CREATE TABLE t (a int, b int AS (a * 2) VIRTUAL);
