CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'd');
CREATE TABLE t (m mood);
