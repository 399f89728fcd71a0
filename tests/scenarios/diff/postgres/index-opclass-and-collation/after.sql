CREATE TABLE t (a text);
CREATE INDEX t_o ON t (a text_pattern_ops);
CREATE INDEX t_c ON t (a COLLATE "C");
