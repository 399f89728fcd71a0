CREATE TABLE t (id int, v text) WITH (fillfactor = 90, toast.autovacuum_enabled = false);
CREATE TABLE u (id int, v text) WITH (toast.autovacuum_vacuum_threshold = 5);
INSERT INTO t VALUES (1, 'a');
INSERT INTO u VALUES (1, 'a');
