CREATE SEQUENCE leaves_id_seq INCREMENT 2;
CREATE TABLE leaves (id integer NOT NULL DEFAULT nextval('leaves_id_seq') PRIMARY KEY);
CREATE TABLE enters (id serial PRIMARY KEY);
CREATE SEQUENCE dropped_id_seq;
CREATE TABLE fresh (n serial);
CREATE TABLE added (a int, n bigserial);
CREATE SEQUENCE bare_id_seq AS integer;
CREATE TABLE bare (id integer NOT NULL);
