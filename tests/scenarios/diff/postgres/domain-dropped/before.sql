CREATE DOMAIN pos AS integer;
CREATE TABLE t (p pos);
