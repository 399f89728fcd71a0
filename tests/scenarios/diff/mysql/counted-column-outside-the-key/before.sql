CREATE TABLE z (id int);
