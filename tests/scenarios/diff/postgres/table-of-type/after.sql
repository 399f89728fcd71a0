CREATE TYPE ct AS (a int, b text);
CREATE TABLE in_later OF ct;
CREATE TABLE out_later (a int, b text);
CREATE TABLE fresh OF ct (a WITH OPTIONS DEFAULT 5, PRIMARY KEY (a));
