CREATE TABLE [my table] (`a b` TEXT);
INSERT INTO [my table] VALUES ('x');
