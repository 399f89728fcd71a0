CREATE TABLE t (j jsonb, x text[]);
CREATE INDEX t_j ON t USING gin (j jsonb_path_ops);
CREATE INDEX t_x ON t USING gin (x);
