CREATE SCHEMA app;
CREATE SCHEMA "My App";
CREATE TABLE app.old (id int);
CREATE TABLE app.kept (id bigserial);
CREATE TABLE app.made (id int NOT NULL);
