CREATE TABLE z (id integer);
