CREATE TABLE t (id int PRIMARY KEY, a varchar(20), n int);
CREATE TABLE u (id bigint AUTO_INCREMENT PRIMARY KEY, t_id int NOT NULL, s enum('a','b') DEFAULT 'a', CONSTRAINT u_fk FOREIGN KEY (t_id) REFERENCES t (id) ON DELETE CASCADE, UNIQUE KEY u_s (s, t_id)) COMMENT='us';
