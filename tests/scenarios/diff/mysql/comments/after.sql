CREATE TABLE t (id int PRIMARY KEY, a varchar(20) COMMENT 'it''s', n int) COMMENT='things';
