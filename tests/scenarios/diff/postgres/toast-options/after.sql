CREATE TABLE t (id int, v text) WITH (fillfactor = 90, toast.autovacuum_vacuum_threshold = 7);
CREATE TABLE u (id int, v text) WITH (toast.autovacuum_vacuum_threshold = 6);
CREATE TABLE w (id int, v text) WITH (toast.autovacuum_enabled = false);
