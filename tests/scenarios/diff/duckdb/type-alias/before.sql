CREATE TYPE old AS varchar;
CREATE TYPE other AS int;
CREATE TABLE t (x int);
