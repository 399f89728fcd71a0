-- Every kind of object and every attribute that introspection of MySQL and MariaDB models.
CREATE TABLE vessel (
  id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name varchar(50) NOT NULL DEFAULT 'it''s' COMMENT 'a name',
  bin varchar(20) CHARACTER SET latin1 COLLATE latin1_bin,
  fixed char(3), tiny tinyint, flag tinyint(1) NOT NULL DEFAULT 1, small smallint unsigned, med mediumint, num int(11) DEFAULT -1,
  zero int(5) unsigned zerofill, big bigint unsigned, y year, f float, d double DEFAULT 1.5, price decimal(10,2) DEFAULT 0.00,
  one bit(1) DEFAULT b'1', bits bit(8), t tinytext, tx text, mt mediumtext, lt longtext, vb varbinary(16), bb binary(4), bl blob, lb longblob,
  day date, at time(3), made datetime DEFAULT current_timestamp() ON UPDATE current_timestamp(), stamp timestamp(6) NULL,
  state enum('new','it''s','a,b') DEFAULT 'new', bits_set set('x','y'), doc json, uid char(36) DEFAULT (uuid()),
  later datetime DEFAULT (now() + interval 1 day), nothing varchar(3) DEFAULT NULL,
  total decimal(12,2) GENERATED ALWAYS AS (price * 2) STORED, loud varchar(60) AS (upper(name)) VIRTUAL,
  CONSTRAINT positive CHECK (price >= 0),
  CONSTRAINT known CHECK (name IN ('x', 'y', 'it''s')),
  UNIQUE KEY named (name, bin),
  KEY prefixed (tx(10), name DESC),
  FULLTEXT KEY words (mt)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='every type' ROW_FORMAT=DYNAMIC;
CREATE TABLE log (
  vessel_id bigint, a int, b varchar(10) COLLATE utf8mb4_bin, `or``der` int,
  CONSTRAINT of_vessel FOREIGN KEY (vessel_id) REFERENCES vessel (id) ON DELETE CASCADE ON UPDATE SET NULL,
  PRIMARY KEY (b, a)
) DEFAULT CHARSET=utf8mb4;
CREATE INDEX odd ON log (`or``der`) COMMENT 'an index';
CREATE TABLE measure (at date NOT NULL, v int) PARTITION BY RANGE (year(at)) (PARTITION p0 VALUES LESS THAN (2026), PARTITION p1 VALUES LESS THAN MAXVALUE);
CREATE VIEW v_vessel AS SELECT id, name FROM vessel WHERE flag WITH CASCADED CHECK OPTION;
CREATE SQL SECURITY INVOKER VIEW v_top (who, n) AS SELECT v.name, count(*) FROM v_vessel v GROUP BY v.name;
CREATE TRIGGER vessel_touch BEFORE INSERT ON vessel FOR EACH ROW SET NEW.name = lower(NEW.name);
CREATE FUNCTION plus_one(a int, b varchar(3)) RETURNS int DETERMINISTIC COMMENT 'adds' RETURN a + 1;
CREATE PROCEDURE tidy(IN days int, OUT n int) MODIFIES SQL DATA DELETE FROM log WHERE a < days;
CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY STARTS '2026-01-01 00:00:00' DISABLE COMMENT 'at night' DO DELETE FROM log;
