CREATE TABLE t (id integer PRIMARY KEY, a text, n integer);
CREATE SCHEMA crm;
CREATE TABLE crm.c (id integer PRIMARY KEY);
