CREATE TABLE b (id int, a datetime, e datetime, PERIOD FOR p (a, e), UNIQUE u (id, p WITHOUT OVERLAPS), KEY k(id));
CREATE TABLE d (id int, a2 date, e2 date, PERIOD FOR p (a2, e2), UNIQUE u (id, p WITHOUT OVERLAPS), KEY k(id));
