CREATE TYPE mood AS ENUM ('sad', 'glad', 'mad');
CREATE DOMAIN code AS varchar(5);
CREATE TYPE place AS (street text, number int);
CREATE TABLE t (id int PRIMARY KEY, m mood NOT NULL DEFAULT 'sad', c code, p place);
REVOKE USAGE ON TYPE mood FROM PUBLIC;
GRANT USAGE ON TYPE mood TO pg_monitor WITH GRANT OPTION;
GRANT USAGE ON DOMAIN code TO pg_monitor;
REVOKE USAGE ON TYPE place FROM PUBLIC;
INSERT INTO t VALUES (1, 'glad', 'x', ROW('a', 3)), (2, 'sad', NULL, NULL);
