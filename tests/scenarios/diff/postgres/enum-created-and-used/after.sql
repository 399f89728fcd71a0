CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t (id integer, m mood DEFAULT 'ok', ms mood[]);
