CREATE FUNCTION f(x integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT x + 1';
CREATE TABLE t (id integer DEFAULT f(3), n integer CONSTRAINT c CHECK (f(n) > 0), g integer GENERATED ALWAYS AS (f(n)) STORED);
CREATE INDEX i ON t (f(n));
CREATE VIEW v AS SELECT f(id) AS k FROM t;
INSERT INTO t (id, n) VALUES (1, 2);
