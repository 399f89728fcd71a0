CREATE FUNCTION f(x integer) RETURNS text LANGUAGE sql AS 'SELECT x::text';
