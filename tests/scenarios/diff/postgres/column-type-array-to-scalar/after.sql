CREATE SCHEMA s;
CREATE TABLE s.t (a varchar(3), n integer, d text);
