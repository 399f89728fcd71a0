CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
COMMENT ON TABLE t IS 'things';
