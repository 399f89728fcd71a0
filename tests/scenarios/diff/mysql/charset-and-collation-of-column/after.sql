CREATE TABLE t (a varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci, b varchar(9) COLLATE utf8mb4_bin);
