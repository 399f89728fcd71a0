CREATE TYPE other AS decimal(10, 2);
CREATE TYPE al AS int;
CREATE TABLE t (x al);
