CREATE TABLE p (a integer, b integer, PRIMARY KEY (a, b));
CREATE TABLE c (a integer, b integer);
