CREATE TABLE t (id integer, n numeric DEFAULT 'NaN', d double precision DEFAULT '-infinity', b boolean DEFAULT 't', e numeric DEFAULT 1000, s integer DEFAULT -1);
