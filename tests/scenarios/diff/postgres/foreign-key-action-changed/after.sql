CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE TABLE u (t_id integer REFERENCES t (id) ON DELETE RESTRICT DEFERRABLE);
