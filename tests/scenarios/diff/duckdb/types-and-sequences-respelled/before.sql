CREATE TYPE Mood AS ENUM ('a', 'b');
CREATE TYPE Tone AS ENUM ('x');
CREATE SEQUENCE Seq;
CREATE TABLE t (i int DEFAULT nextval('Seq'), m Mood, n Tone);
INSERT INTO t (m, n) VALUES ('a', 'x'), ('b', 'x');
