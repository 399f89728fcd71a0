CREATE TABLE t (n int, d int GENERATED ALWAYS AS (n * 2) STORED, KEY t_d (d));
