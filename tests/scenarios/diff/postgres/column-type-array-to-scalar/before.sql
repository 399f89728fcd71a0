CREATE SCHEMA s;
CREATE TABLE s.t (a text[], n varchar(9)[], d text[]);
INSERT INTO s.t VALUES (ARRAY['abc'], '[5:5]={42}', '{kept}'), ('{}', NULL, NULL);
