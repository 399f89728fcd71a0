CREATE TABLE t (a tinyint(1), b int(5), c boolean DEFAULT 0, d decimal(8,2) DEFAULT 0);
