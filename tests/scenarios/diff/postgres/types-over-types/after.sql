CREATE TYPE z AS ENUM ('a', 'b');
CREATE DOMAIN y AS z DEFAULT 'a';
CREATE DOMAIN x AS y NOT NULL;
CREATE TYPE b AS (p x, q text);
CREATE TYPE a AS (r b, s y[]);
CREATE TABLE t (a int, c a);
