CREATE TABLE t (id INTEGER, n INTEGER);
CREATE MACRO plus1(x) AS x + 1;
CREATE MACRO changed(x) AS x + 2;
CREATE MACRO a_first(x) AS plus1(x) * changed(x);
CREATE TABLE u (n INTEGER DEFAULT plus1(3), CHECK (plus1(n) > 0));
CREATE VIEW v AS SELECT a_first(n) AS k FROM t;
CREATE MACRO some_rows(lim) AS TABLE SELECT * FROM t LIMIT lim;
CREATE MACRO of_view(lim) AS TABLE SELECT * FROM v LIMIT lim;
CREATE MACRO over(x) AS x, (x, y) AS x + y;
