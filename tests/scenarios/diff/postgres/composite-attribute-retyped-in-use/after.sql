CREATE TYPE pair AS (x bigint, z varchar(10), n numeric(8,3));
CREATE TABLE t (id integer PRIMARY KEY, p pair, many pair[], CONSTRAINT c CHECK ((p).x > 0));
CREATE VIEW v AS SELECT id, (p).z AS z FROM t;
