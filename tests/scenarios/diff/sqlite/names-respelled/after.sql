CREATE TABLE p (id integer PRIMARY KEY, bar int CHECK (bar > 0));
CREATE TABLE c (p int REFERENCES p (id));
