CREATE TABLE t (a text[], n integer[], v varchar(3)[]);
