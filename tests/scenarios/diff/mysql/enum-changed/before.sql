CREATE TABLE t (s enum('a','b') NOT NULL DEFAULT 'a', x set('p','q'));
INSERT INTO t VALUES ('b', 'p');
