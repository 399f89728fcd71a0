CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE SCHEMA crm;
CREATE TABLE crm.c (id integer PRIMARY KEY, t_id integer REFERENCES t (id));
CREATE TYPE crm.k AS ENUM ('a');
CREATE VIEW crm.v AS SELECT id FROM crm.c;
