CREATE TABLE t (id integer, n numeric, d double precision DEFAULT 'infinity');
