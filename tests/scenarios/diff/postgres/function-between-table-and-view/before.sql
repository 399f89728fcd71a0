CREATE TABLE kept (a int);
