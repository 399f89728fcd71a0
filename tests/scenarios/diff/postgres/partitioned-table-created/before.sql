CREATE TABLE x (id integer);
