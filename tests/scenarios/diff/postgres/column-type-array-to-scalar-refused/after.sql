CREATE TABLE t (a text, b bigint, c text);
