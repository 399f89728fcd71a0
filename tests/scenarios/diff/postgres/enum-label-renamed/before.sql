CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE t (m mood);
INSERT INTO t VALUES ('b');
