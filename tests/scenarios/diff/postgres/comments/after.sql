CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
COMMENT ON TABLE t IS 'things';
COMMENT ON COLUMN t.a IS 'it''s';
CREATE INDEX t_n ON t (n);
COMMENT ON INDEX t_n IS 'i';
COMMENT ON CONSTRAINT t_pkey ON t IS 'k';
