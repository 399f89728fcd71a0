CREATE TABLE t (id int PRIMARY KEY, a varchar(60) NOT NULL DEFAULT 'q', n bigint unsigned);
