CREATE SEQUENCE s;
CREATE TABLE t (id integer DEFAULT nextval('s'));
