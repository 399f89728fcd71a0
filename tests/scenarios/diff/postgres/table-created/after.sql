CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE TABLE u (id bigint PRIMARY KEY, t_id integer REFERENCES t (id) ON DELETE CASCADE, at timestamptz DEFAULT now() NOT NULL);
