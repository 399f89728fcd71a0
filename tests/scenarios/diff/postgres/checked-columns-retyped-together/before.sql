CREATE TABLE t (id int PRIMARY KEY, a bigint, b bigint, c bigint, CONSTRAINT c_ab CHECK (a <= b), CONSTRAINT c_ac CHECK (a < 90));
COMMENT ON CONSTRAINT c_ab ON t IS 'kept';
CREATE INDEX t_ab ON t (id) WHERE a < b;
CREATE INDEX t_least ON t ((a < b), c);
INSERT INTO t VALUES (1, 10, 11, 1), (2, NULL, 3, 2);
