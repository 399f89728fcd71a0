CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE VIEW v AS SELECT id, a FROM t WHERE n > 3;
