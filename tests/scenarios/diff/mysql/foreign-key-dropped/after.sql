CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE TABLE u (t_id int);
