CREATE SCHEMA s;
CREATE TABLE t (a int, b int);
CREATE STATISTICS changed ON a, b FROM t;
CREATE STATISTICS bare (ndistinct) ON a, b FROM t;
CREATE STATISTICS made (mcv) ON a, b FROM t;
COMMENT ON STATISTICS changed IS 'it''s new';
COMMENT ON STATISTICS made IS 'made';
CREATE STATISTICS s.away ON a, b FROM t;
COMMENT ON STATISTICS s.away IS 'away';
