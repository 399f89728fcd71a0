CREATE TABLE t (i int, m money DEFAULT 3.5, n money DEFAULT '12,000.45', o money DEFAULT 5::money + 2::money);
