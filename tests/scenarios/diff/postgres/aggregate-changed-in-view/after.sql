CREATE AGGREGATE total(integer) (SFUNC = int4pl, STYPE = integer, INITCOND = '10');
CREATE TABLE t (n integer);
CREATE VIEW v AS SELECT total(n) AS s FROM t;
