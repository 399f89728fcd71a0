CREATE TABLE t (id int PRIMARY KEY, n bigint, m int, CONSTRAINT c_n CHECK (n < 90), CONSTRAINT c_nm CHECK (n <> m));
COMMENT ON CONSTRAINT c_n ON t IS 'kept';
CREATE INDEX t_n ON t (id) WHERE n > 3;
COMMENT ON INDEX t_n IS 'kept too';
CREATE UNIQUE INDEX t_e ON t ((n + 1)) WHERE m > 3;
