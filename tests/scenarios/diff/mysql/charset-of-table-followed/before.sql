CREATE TABLE t (a int PRIMARY KEY, v varchar(10), l varchar(10), e enum('x', 'y') NOT NULL DEFAULT 'x', o varchar(10) CHARACTER SET utf8mb3, n int) DEFAULT CHARSET=utf8mb4;
INSERT INTO t VALUES (1, 'x', 'l', 'y', 'o', 5);
