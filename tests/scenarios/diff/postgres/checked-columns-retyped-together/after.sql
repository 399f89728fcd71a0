CREATE TABLE t (id int PRIMARY KEY, a text, b text, c bigint, CONSTRAINT c_ab CHECK (a <= b), CONSTRAINT c_ac CHECK (a < '90'));
COMMENT ON CONSTRAINT c_ab ON t IS 'kept';
CREATE INDEX t_ab ON t (id) WHERE a < b;
CREATE INDEX t_least ON t ((a < b), c);
