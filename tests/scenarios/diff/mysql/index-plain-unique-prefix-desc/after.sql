CREATE TABLE t (a text, b int, KEY t_a (a(10)), UNIQUE KEY t_b (b), KEY t_bd (b, a(5)));
