CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN code AS varchar(7);
CREATE TYPE place AS (street text, number bigint);
CREATE TABLE t (id int PRIMARY KEY, m mood NOT NULL DEFAULT 'sad', c code, p place);
REVOKE USAGE ON TYPE mood FROM PUBLIC;
GRANT USAGE ON TYPE mood TO pg_monitor WITH GRANT OPTION;
GRANT USAGE ON DOMAIN code TO pg_monitor;
REVOKE USAGE ON TYPE place FROM PUBLIC;
