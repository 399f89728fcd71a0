CREATE TABLE b (id int, a date, e date, PERIOD FOR p (a, e), UNIQUE u (id, p WITHOUT OVERLAPS), KEY k(id));
CREATE TABLE d (id int, a date, e date, PERIOD FOR p (a, e), UNIQUE u (id, p WITHOUT OVERLAPS), KEY k(id));
