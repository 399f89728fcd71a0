CREATE TYPE mood AS ENUM ('a', 'c');
CREATE TABLE t (m mood);
