CREATE TABLE t (a int PRIMARY KEY, same varbinary(4) DEFAULT 'q', other varbinary(4) DEFAULT x'02', bi binary(4) DEFAULT 'ab', vb varbinary(5) DEFAULT x'000141', none binary(2) DEFAULT x'0000');
