-- Every kind of object and every attribute that introspection of SQLite models.
CREATE TABLE vessel (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL DEFAULT 'it''s' COLLATE NOCASE,
  short VARCHAR(20) CONSTRAINT short_check CHECK (length(short) > 1),
  price DECIMAL(10,2) DEFAULT 0.00,
  ratio REAL DEFAULT -1.5e3,
  made DATETIME DEFAULT CURRENT_TIMESTAMP,
  later TEXT DEFAULT (datetime('now')),
  flag BOOLEAN DEFAULT TRUE,
  none TEXT DEFAULT NULL,
  data BLOB DEFAULT x'00ff',
  state TEXT CHECK (state IN ('new', 'it''s', 'done')),
  "both" TEXT GENERATED ALWAYS AS (name || ' ' || short) VIRTUAL,
  kept INTEGER AS (id * 2) STORED,
  untyped,
  "odd ""name""" TEXT UNIQUE,
  CONSTRAINT named UNIQUE (short, price),
  UNIQUE (ratio),
  CHECK (price >= 0)
);
CREATE TABLE log (
  vessel_id INTEGER REFERENCES vessel ON DELETE CASCADE ON UPDATE SET NULL,
  a INTEGER, b TEXT,
  CONSTRAINT pairs FOREIGN KEY (a, b) REFERENCES pair (x, y) DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (a) REFERENCES vessel (id)
);
CREATE TABLE pair (x INTEGER, y TEXT, z ANY, w TEXT, CONSTRAINT pair_key PRIMARY KEY (y, x)) STRICT, WITHOUT ROWID;
CREATE TABLE plain (k TEXT PRIMARY KEY, v TEXT);
CREATE TABLE "from" ("select" INT PRIMARY KEY, "Ünïcode" TEXT);
CREATE INDEX vessel_expr ON vessel (lower(name) DESC, price, short COLLATE RTRIM) WHERE state = 'new';
CREATE UNIQUE INDEX vessel_one ON vessel (name, short);
CREATE INDEX "odd index" ON log (b COLLATE NOCASE);
CREATE VIEW named (a, b) AS SELECT id, name FROM vessel WHERE flag;
CREATE VIEW top AS /* kedge:v1:sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa */ SELECT n.a, count(*) AS "how many" FROM named n JOIN log ON log.vessel_id = n.a GROUP BY 1;
CREATE TRIGGER vessel_log AFTER INSERT ON vessel BEGIN INSERT INTO log (vessel_id) VALUES (NEW.id); END;
CREATE TRIGGER named_write INSTEAD OF INSERT ON named BEGIN INSERT INTO vessel (name) VALUES (NEW.b); END;
CREATE VIRTUAL TABLE search USING fts5(body);
ANALYZE;
