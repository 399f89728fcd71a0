CREATE TABLE victim (n integer);
CREATE TABLE `x
DROP TABLE victim; --` (id integer PRIMARY KEY, n bigint);
INSERT INTO `x
DROP TABLE victim; --` VALUES (1, 2);
