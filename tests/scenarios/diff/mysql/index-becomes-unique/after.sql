CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE UNIQUE INDEX t_n ON t (n);
