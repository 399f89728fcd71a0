CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE INDEX t_n ON t (n);
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
