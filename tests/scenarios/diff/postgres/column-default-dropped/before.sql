CREATE TABLE t (a integer DEFAULT 3, b text DEFAULT lower('A'));
