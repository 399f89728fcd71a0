CREATE TABLE t (a varchar(3)[], n integer[], e varchar(4)[]);
