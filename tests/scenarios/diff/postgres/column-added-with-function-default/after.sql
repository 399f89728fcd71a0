CREATE TABLE t (id integer PRIMARY KEY, a text, n integer, u uuid NOT NULL DEFAULT gen_random_uuid(), at timestamp DEFAULT now());
