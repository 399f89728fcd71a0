CREATE TABLE b (id int, a date, e date, c int, PERIOD FOR p (a, e), UNIQUE u (id, c, p WITHOUT OVERLAPS), KEY k(id));
CREATE TABLE b2 (id int, a date, e date, PERIOD FOR `q` (a, e), PRIMARY KEY (id, q WITHOUT OVERLAPS));
CREATE TABLE b3 (id int, a date not null, e date not null, PERIOD FOR p (a, e), UNIQUE u (id, e, a));
CREATE TABLE b4 (id int, a datetime(6) not null, e datetime(6) not null, CONSTRAINT p CHECK (a < e), CONSTRAINT q CHECK (a < e));
CREATE TABLE plain (id int, a date, e date, PERIOD FOR p (a, e), UNIQUE u (id, p WITHOUT OVERLAPS));
CREATE TABLE plain2 (id int, a date, e date, c int, period for p(a,e), primary key(id, p without overlaps));
CREATE TABLE x (id int primary key, a date not null, e date not null);
