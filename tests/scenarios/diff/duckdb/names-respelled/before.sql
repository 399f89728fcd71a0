CREATE TABLE T1 (a int, Bar int);
INSERT INTO T1 VALUES (1, 2);
CREATE TABLE u (Bar int, c text);
INSERT INTO u VALUES (1, 'x');
