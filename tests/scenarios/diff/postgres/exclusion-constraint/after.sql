CREATE TABLE t (r int4range, CONSTRAINT no_overlap EXCLUDE USING gist (r WITH &&));
