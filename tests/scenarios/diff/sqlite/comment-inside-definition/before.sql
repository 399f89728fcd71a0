CREATE TABLE t (a TEXT -- first
, b INTEGER /* , c TEXT */);
