CREATE TABLE t (id int, a bit(3) DEFAULT b'101', b year, c time(3), d double DEFAULT 1.5, e float, f binary(4), g varbinary(9), h mediumtext, i longblob, j smallint unsigned, k point);
