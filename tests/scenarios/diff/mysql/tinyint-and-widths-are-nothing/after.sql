CREATE TABLE t (a boolean, b int(5), c bool DEFAULT false, d dec(8,2) DEFAULT 0.00);
