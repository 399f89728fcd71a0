CREATE TABLE t (a int DEFAULT 3, b varchar(9), c timestamp NULL);
