CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
CREATE TABLE t (id INTEGER, m mood);
