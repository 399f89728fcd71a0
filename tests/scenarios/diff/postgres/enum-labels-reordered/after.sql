CREATE TYPE mood AS ENUM ('b', 'a');
CREATE TABLE t (m mood DEFAULT 'a');
