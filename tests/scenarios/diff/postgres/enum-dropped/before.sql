CREATE TYPE mood AS ENUM ('a');
CREATE TABLE t (id integer, m mood);
