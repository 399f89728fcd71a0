CREATE TABLE t (s enum('a','b','c') NOT NULL DEFAULT 'c', x set('p','q','r'));
