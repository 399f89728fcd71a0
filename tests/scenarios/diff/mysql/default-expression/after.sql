CREATE TABLE t (a varchar(36) DEFAULT (uuid()), b int DEFAULT (1 + 2));
