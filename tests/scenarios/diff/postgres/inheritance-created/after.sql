CREATE TABLE z (id integer);
CREATE TABLE base (id integer);
CREATE TABLE sub (x text) INHERITS (base);
