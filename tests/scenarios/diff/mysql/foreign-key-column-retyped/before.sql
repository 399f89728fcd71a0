CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE TABLE u (t_id int, CONSTRAINT u_fk FOREIGN KEY (t_id) REFERENCES t (id));
INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20);
INSERT INTO u VALUES (1);
