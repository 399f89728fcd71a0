CREATE TABLE t (a int, b int CHECK (b < 3));
CREATE TABLE c (x int, y int);
