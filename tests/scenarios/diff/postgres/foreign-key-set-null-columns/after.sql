CREATE TABLE p (a integer, b integer, PRIMARY KEY (a, b));
CREATE TABLE c (a integer, b integer, FOREIGN KEY (a, b) REFERENCES p (a, b) ON DELETE SET NULL (b));
