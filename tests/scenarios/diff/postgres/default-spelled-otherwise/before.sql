CREATE TABLE t (a integer DEFAULT 3, b timestamptz DEFAULT CURRENT_TIMESTAMP, c text DEFAULT 'x'::text, d boolean DEFAULT 't');
