CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TYPE tone AS ENUM ('x', 'y');
CREATE SEQUENCE seq;
CREATE TABLE t (i int DEFAULT nextval('seq'), m mood, n tone);
