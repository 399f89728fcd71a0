CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE VIEW v AS SELECT id, n, a FROM t;
