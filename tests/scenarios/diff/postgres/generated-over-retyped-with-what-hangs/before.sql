CREATE TABLE t (
  id integer PRIMARY KEY,
  a bigint,
  g bigint GENERATED ALWAYS AS (a * 2) STORED UNIQUE,
  h bigint GENERATED ALWAYS AS (a + 1) STORED,
  CONSTRAINT c CHECK (a <= g),
  CONSTRAINT both_of_them CHECK (g >= h)
);
CREATE INDEX ix ON t (g) WHERE a > 0;
CREATE INDEX ix_both ON t (g, h);
COMMENT ON INDEX ix_both IS 'kept';
COMMENT ON CONSTRAINT both_of_them ON t IS 'kept too';
CREATE TABLE reads (x bigint REFERENCES t (g));
CREATE TABLE keyed (a bigint, g bigint GENERATED ALWAYS AS (a * 2) STORED PRIMARY KEY);
CREATE TABLE reads_key (x bigint REFERENCES keyed);
INSERT INTO t VALUES (1, 2), (2, 3);
INSERT INTO reads VALUES (4);
INSERT INTO keyed VALUES (1);
INSERT INTO reads_key VALUES (2);
GRANT SELECT (g) ON t TO PUBLIC;
