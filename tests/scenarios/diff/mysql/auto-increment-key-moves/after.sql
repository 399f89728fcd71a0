CREATE TABLE t (id int AUTO_INCREMENT, b int NOT NULL, PRIMARY KEY (b), KEY t_id (id));
