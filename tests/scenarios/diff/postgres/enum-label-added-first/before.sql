CREATE TYPE mood AS ENUM ('b', 'c');
CREATE TABLE t (m mood);
INSERT INTO t VALUES ('b');
