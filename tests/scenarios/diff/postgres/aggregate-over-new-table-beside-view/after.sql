CREATE TABLE other (id int PRIMARY KEY);
CREATE VIEW seen AS SELECT id FROM other;
CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE FUNCTION z_step(state int, item t) RETURNS int LANGUAGE sql AS 'SELECT state + item.n';
CREATE AGGREGATE a_total(t) (SFUNC = z_step, STYPE = int, INITCOND = '0');
CREATE VIEW totals AS SELECT a_total(t) AS total FROM t;
