CREATE TABLE t (a int PRIMARY KEY, v varchar(10), l varchar(20), e enum('x', 'y') NOT NULL DEFAULT 'x', o varchar(10) CHARACTER SET utf8mb3, n int) DEFAULT CHARSET=latin1;
