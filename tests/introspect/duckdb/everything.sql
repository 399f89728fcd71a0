-- Every kind of object and every attribute that introspection of DuckDB models.
CREATE SCHEMA harbour;
CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'Happy');
CREATE TYPE harbour.code AS VARCHAR;
CREATE SEQUENCE vessel_id_seq START 5;
CREATE SEQUENCE tickets START WITH 10 INCREMENT BY 5 MINVALUE 10 MAXVALUE 1000 CYCLE;
COMMENT ON SEQUENCE tickets IS 'numbers';
CREATE TABLE vessel (
  id BIGINT DEFAULT nextval('vessel_id_seq') PRIMARY KEY,
  uid UUID DEFAULT uuid(),
  ticket INTEGER DEFAULT nextval('tickets'),
  name VARCHAR NOT NULL DEFAULT 'it''s',
  short VARCHAR(20) COLLATE NOCASE,
  small SMALLINT DEFAULT -1, tiny TINYINT, huge HUGEINT, un UINTEGER,
  flag BOOLEAN DEFAULT true, r FLOAT, d DOUBLE DEFAULT 1.5, price DECIMAL(10,2) DEFAULT 0.00,
  data BLOB, bits BIT, day DATE DEFAULT current_date, hour TIME, stamp TIMESTAMP, zoned TIMESTAMPTZ DEFAULT now(),
  ms TIMESTAMP_MS, wait INTERVAL, doc JSON,
  tags VARCHAR[], grid INTEGER[][], fixed INTEGER[3], pair STRUCT(a INTEGER, "B" VARCHAR), map MAP(VARCHAR, INTEGER),
  feels mood DEFAULT 'Happy', either UNION(n INTEGER, s VARCHAR), coded harbour.code,
  twice INTEGER GENERATED ALWAYS AS (small * 2) VIRTUAL,
  CHECK (price >= 0),
  CONSTRAINT known CHECK (name IN ('x', 'y')),
  UNIQUE (short, day)
);
COMMENT ON TABLE vessel IS 'every type';
COMMENT ON COLUMN vessel.name IS 'a name';
CREATE TABLE log (vessel_id BIGINT REFERENCES vessel (id), a INTEGER, b VARCHAR, PRIMARY KEY (b, a));
CREATE TABLE harbour.berth (no INTEGER PRIMARY KEY, length DOUBLE);
CREATE TABLE "Mixed Case" ("Or""der" INTEGER);
CREATE INDEX vessel_name ON vessel (name);
CREATE UNIQUE INDEX vessel_expr ON vessel (lower(name), day);
COMMENT ON INDEX vessel_name IS 'for the search';
CREATE VIEW v_vessel AS SELECT id, name FROM vessel WHERE flag;
COMMENT ON VIEW v_vessel IS 'owned
kedge:v1:sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
CREATE VIEW harbour.v_top (who, n) AS SELECT v.name, count(*) FROM v_vessel v GROUP BY ALL;
CREATE MACRO plus(a, b) AS a + b;
CREATE MACRO harbour.names() AS TABLE SELECT name FROM vessel;
CREATE TEMPORARY TABLE gone (a INTEGER);
