CREATE TABLE t (id int PRIMARY KEY, comes uuid, goes uuid DEFAULT gen_random_uuid(), fixed uuid DEFAULT gen_random_uuid(),
    loose uuid DEFAULT '00000000-0000-0000-0000-000000000000', worded uuid DEFAULT gen_random_uuid(), read text DEFAULT 'x');
INSERT INTO t (id, read) VALUES (1, '00000000-0000-0000-0000-000000000001'), (2, NULL);
