CREATE DOMAIN code AS varchar(9);
CREATE TABLE t (a code, b code[]);
INSERT INTO t VALUES ('abc', '{abc}'), ('abc', '{abcdef}');
