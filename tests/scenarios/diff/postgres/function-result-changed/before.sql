CREATE FUNCTION f(x integer) RETURNS integer LANGUAGE sql AS 'SELECT x + 1';
