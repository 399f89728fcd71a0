CREATE TABLE a (x int, w int, v text);
CREATE TABLE b (y int, w int);
CREATE TABLE c (z int, w int NOT NULL DEFAULT 3) INHERITS (a, b);
CREATE TABLE d (w int NOT NULL DEFAULT 4) INHERITS (c);
