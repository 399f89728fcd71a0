CREATE TABLE t (a integer NOT NULL UNIQUE, b integer PRIMARY KEY);
CREATE TABLE u (a integer REFERENCES t (a));
