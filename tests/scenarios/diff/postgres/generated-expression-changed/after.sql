CREATE TABLE t (n integer, d integer GENERATED ALWAYS AS (n * 3) STORED);
CREATE INDEX t_d ON t (d);
