CREATE DOMAIN amount AS numeric(10, 2);
CREATE TABLE t (a text, b numeric, c amount, d text[], e inet);
