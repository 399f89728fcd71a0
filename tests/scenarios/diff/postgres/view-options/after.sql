CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE VIEW v WITH (security_barrier) AS SELECT id, a FROM t WITH LOCAL CHECK OPTION;
