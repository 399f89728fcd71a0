CREATE SCHEMA app;
CREATE TYPE app.ct AS (a int, b text);
CREATE TABLE t OF app.ct;
INSERT INTO t VALUES (1, 'x');
CREATE TYPE gone AS (a int);
CREATE TABLE g OF gone;
