CREATE TYPE mood AS ENUM ('a', 'b', 'c');
CREATE TABLE t (id integer PRIMARY KEY, m mood NOT NULL DEFAULT 'a', ms mood[]);
CREATE INDEX t_m ON t (m) WHERE m = 'a';
CREATE VIEW v AS SELECT id, m FROM t WHERE m = 'a';
INSERT INTO t VALUES (1, 'a', '{a,b}');
