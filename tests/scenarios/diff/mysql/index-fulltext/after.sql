CREATE TABLE t (a text, FULLTEXT KEY t_f (a));
