CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t (id INTEGER, m mood);
