CREATE TYPE ct AS (a int, b text);
CREATE TABLE in_later (a int, b text);
INSERT INTO in_later VALUES (1, 'x');
CREATE TABLE out_later OF ct;
INSERT INTO out_later VALUES (2, 'y');
