CREATE TABLE t (id int PRIMARY KEY, a varchar(20));
CREATE VIEW v AS SELECT id, a FROM t;
