CREATE UNLOGGED TABLE t (a text);
CREATE TABLE u (a text) WITH (fillfactor=60);
