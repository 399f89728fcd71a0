CREATE TABLE t (id integer PRIMARY KEY, a integer DEFAULT 7);
