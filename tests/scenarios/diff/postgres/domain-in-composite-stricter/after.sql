CREATE DOMAIN d AS int CHECK (VALUE > 0);
CREATE TYPE ct AS (x d, y text);
CREATE TABLE t (c ct, l ct[]);
