CREATE TABLE t (a int PRIMARY KEY, same varbinary(4) DEFAULT 'q', other varbinary(4) DEFAULT x'01');
INSERT INTO t (a) VALUES (1), (2);
