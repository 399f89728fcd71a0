CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE EXTENSION citext;
CREATE TABLE u (e citext);
