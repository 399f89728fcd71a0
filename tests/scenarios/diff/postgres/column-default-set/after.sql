CREATE TABLE t (id integer PRIMARY KEY, a text DEFAULT 'it''s', n integer);
