CREATE DOMAIN d AS int;
CREATE TYPE ct AS (x d, y text);
CREATE TABLE t (c ct);
INSERT INTO t VALUES (ROW(-5, 'x'));
