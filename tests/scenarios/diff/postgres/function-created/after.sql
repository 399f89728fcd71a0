CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE FUNCTION f(x integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT x + 1'; COMMENT ON FUNCTION f(integer) IS 'one more';
