CREATE TABLE t (id int PRIMARY KEY, comes uuid DEFAULT gen_random_uuid(), goes uuid, fixed uuid DEFAULT '00000000-0000-0000-0000-000000000000',
    loose uuid DEFAULT gen_random_uuid(), worded text, read uuid DEFAULT gen_random_uuid());
