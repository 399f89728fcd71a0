CREATE TABLE [my table] (`a b` TEXT NOT NULL);
