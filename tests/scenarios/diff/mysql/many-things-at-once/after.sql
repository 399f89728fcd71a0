CREATE TABLE p (id bigint AUTO_INCREMENT PRIMARY KEY, k enum('a','b','c') NOT NULL DEFAULT 'c', fresh varchar(9) NOT NULL DEFAULT '');
CREATE TABLE c (id int PRIMARY KEY, p_id bigint NOT NULL, CONSTRAINT c_fk FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE, CONSTRAINT c_ck CHECK (p_id > 0));
CREATE VIEW v AS SELECT p.id, c.id AS c_id, p.fresh FROM p JOIN c ON c.p_id = p.id;
