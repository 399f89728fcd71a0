CREATE TABLE t (id bigserial PRIMARY KEY);
