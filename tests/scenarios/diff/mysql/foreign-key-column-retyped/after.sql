CREATE TABLE t (id bigint PRIMARY KEY, a varchar(20), n int);
CREATE TABLE u (t_id bigint, CONSTRAINT u_fk FOREIGN KEY (t_id) REFERENCES t (id));
