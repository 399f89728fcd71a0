CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE TABLE u (t_id integer);
ALTER TABLE u ADD CONSTRAINT u_fk FOREIGN KEY (t_id) REFERENCES t (id) NOT VALID;
