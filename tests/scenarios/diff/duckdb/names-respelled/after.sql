CREATE TABLE t1 (a int, Bar int);
CREATE TABLE u (bar int, c text);
