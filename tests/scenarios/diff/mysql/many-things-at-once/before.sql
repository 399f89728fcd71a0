CREATE TABLE p (id int AUTO_INCREMENT PRIMARY KEY, k enum('a','b') NOT NULL DEFAULT 'a', old text);
CREATE TABLE c (id int PRIMARY KEY, p_id int, CONSTRAINT c_fk FOREIGN KEY (p_id) REFERENCES p (id));
CREATE VIEW v AS SELECT p.id, c.id AS c_id FROM p JOIN c ON c.p_id = p.id;
INSERT INTO p (k, old) VALUES ('a', 'x'), ('b', 'y');
INSERT INTO c VALUES (1, 1), (2, 2);
