CREATE TABLE t (id integer PRIMARY KEY, a text);
CREATE VIEW v AS SELECT id, a FROM t;
