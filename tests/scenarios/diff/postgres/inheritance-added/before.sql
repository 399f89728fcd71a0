CREATE TABLE base (id integer);
CREATE TABLE sub (id integer, x text);
