CREATE TABLE t (a int, b varchar(9) DEFAULT 'it''s', c timestamp NULL DEFAULT CURRENT_TIMESTAMP);
