CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t (id INTEGER, m mood);
INSERT INTO t VALUES (1, 'ok');
