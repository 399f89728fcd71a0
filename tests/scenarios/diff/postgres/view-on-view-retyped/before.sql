CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE VIEW v AS SELECT id, n FROM t;
CREATE VIEW w AS SELECT id, n + 1 AS m FROM v;
COMMENT ON VIEW w IS 'kept';
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
