CREATE TABLE base (id int, n text CONSTRAINT old CHECK (n <> 'z'));
CREATE TABLE kid (extra int) INHERITS (base);
CREATE TABLE gone (extra int) INHERITS (base);
CREATE TABLE lone (id int, extra int);
CREATE TABLE own (id int DEFAULT 4, x int) INHERITS (base);
INSERT INTO lone VALUES (1, 2);
INSERT INTO own VALUES (5, 'x', 7);
