CREATE TABLE t (r int4range);
INSERT INTO t VALUES ('[1,2)');
