CREATE SCHEMA app;
CREATE TYPE app.ct AS (a int, b text, c numeric(5,2));
CREATE TABLE t OF app.ct;
