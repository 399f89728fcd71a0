CREATE TABLE t (a varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci);
INSERT INTO t VALUES ('x');
