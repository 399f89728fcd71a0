CREATE DOMAIN code AS varchar(3);
CREATE TABLE t (a code, b code[]);
