CREATE TABLE t (a integer DEFAULT (3), b timestamp with time zone DEFAULT current_timestamp, c text DEFAULT 'x', d bool DEFAULT true);
