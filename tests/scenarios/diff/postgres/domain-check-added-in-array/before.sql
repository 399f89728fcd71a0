CREATE DOMAIN d AS int CONSTRAINT positive CHECK (VALUE > 0);
COMMENT ON DOMAIN d IS 'a number';
CREATE DOMAIN n AS text;
CREATE TABLE t (id int, one d, many d[], names n[] DEFAULT '{}');
CREATE VIEW v AS SELECT many FROM t;
INSERT INTO t VALUES (1, 2, '{3,4}', '{a}');
