CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE INDEX t_n2 ON t (n);
