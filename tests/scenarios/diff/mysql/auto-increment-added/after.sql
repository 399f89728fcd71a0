CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, a varchar(20), n int);
