CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE TABLE u (t_id integer, CONSTRAINT f1 FOREIGN KEY (t_id) REFERENCES t (id));
