CREATE TABLE t (a bigint, b int, g bigint GENERATED ALWAYS AS (a * b) STORED, n numeric(12,3), h text GENERATED ALWAYS AS (upper('x' || a::text)) STORED NOT NULL);
CREATE INDEX gi ON t (g, h);
CREATE VIEW v AS SELECT g, h FROM t;
