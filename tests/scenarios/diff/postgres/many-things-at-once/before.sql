CREATE TYPE k AS ENUM ('a','b');
CREATE TABLE p (id serial PRIMARY KEY, k k NOT NULL DEFAULT 'a', old text);
CREATE TABLE c (id integer PRIMARY KEY, p_id integer REFERENCES p (id));
CREATE VIEW v AS SELECT p.id, c.id AS c_id FROM p JOIN c ON c.p_id = p.id;
INSERT INTO p (k, old) VALUES ('a', 'x'), ('b', 'y');
INSERT INTO c VALUES (1, 1), (2, 2);
