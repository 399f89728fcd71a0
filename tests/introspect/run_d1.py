#!/usr/bin/env python3
"""Cloudflare D1 on this machine (wrangler's local copy): what is read equals what sqlite reads of the same statements, a diff is empty
or tells the change, its SQL applies through wrangler, and the number of calls does not grow with the number of tables.
    run_d1.py --kedge PATH --wrangler PATH    prints `N passed, N failed`"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

CONFIG = """name = "yard"
compatibility_date = "2024-01-01"
[[d1_databases]]
binding = "DB"
database_name = "yard"
database_id = "00000000-0000-0000-0000-000000000001"
[[d1_databases]]
binding = "MANY"
database_name = "many"
database_id = "00000000-0000-0000-0000-000000000002"
"""
SHAPE = """CREATE TABLE owner (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL DEFAULT 'none' COLLATE NOCASE);
CREATE TABLE boat (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner (id) ON DELETE CASCADE, length REAL CHECK (length > 0),
  twice REAL GENERATED ALWAYS AS (length * 2) STORED);
CREATE INDEX boat_owner ON boat (owner_id) WHERE length > 1;
CREATE UNIQUE INDEX boat_low ON boat (lower(owner_id), length DESC);
CREATE VIEW long_boat (number) AS SELECT id FROM boat WHERE length > 10;
CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
CREATE TRIGGER tr AFTER INSERT ON boat BEGIN UPDATE owner SET name = 'x' WHERE id = new.owner_id; END;
"""
AFTER = SHAPE.replace("length REAL CHECK (length > 0)", "length REAL NOT NULL CHECK (length > 0), flag TEXT DEFAULT 'y'") + \
    "CREATE TABLE crew (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat (id));\n"
passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f"FAIL {name}: {detail}"[:900])


class Place:
    def __init__(self, kedge, wrangler, folder):
        self.kedge, self.wrangler, self.folder, self.log = kedge, wrangler, folder, folder / "calls"
        (folder / "wrangler.toml").write_text(CONFIG)
        counted = folder / "counted"
        counted.write_text(f'#!/bin/sh\necho call >> "{self.log}"\nexec "{wrangler}" "$@"\n')
        counted.chmod(0o755)
        self.env = {**os.environ, "KEDGE_WRANGLER": str(counted), "CI": "1", "WRANGLER_SEND_METRICS": "false", "HOME": str(folder)}

    def execute(self, binding, sql):
        path = self.folder / "given.sql"
        path.write_text(sql)
        done = subprocess.run([self.wrangler, "d1", "execute", binding, "--local", "--file", "given.sql"], cwd=self.folder, env=self.env,
                              capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        judge(f"wrangler takes {len(sql)} bytes", done.returncode == 0, done.stdout[-300:] + done.stderr[-300:])

    def run(self, *words):
        self.log.write_text("")
        done = subprocess.run([self.kedge, *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=180,
                              stdin=subprocess.DEVNULL)
        return done, len(self.log.read_text().splitlines())


def shape_of(text):
    document = json.loads(text)
    document.pop("engine")
    return document


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--wrangler", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kedge-d1-") as name:
        place = Place(os.path.abspath(options.kedge), os.path.abspath(options.wrangler), pathlib.Path(name))
        place.execute("DB", SHAPE)
        con = sqlite3.connect(place.folder / "same.db")
        con.executescript(SHAPE)
        con.close()
        remote, _ = place.run("snapshot", "d1:DB")
        local, _ = place.run("snapshot", "sqlite:same.db")
        judge("what sqlite reads of the same statements", remote.returncode == 0 and shape_of(remote.stdout) == shape_of(local.stdout),
              remote.stderr + remote.stdout)
        tables = [f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, a TEXT);CREATE INDEX i{i} ON t{i} (a);\n" for i in range(60)]
        place.execute("MANY", "".join(tables[:2]))
        few = place.run("snapshot", "d1:MANY")[1]
        place.execute("MANY", "".join(tables[2:]))
        many, calls = place.run("inspect", "d1:MANY", "--format", "json")
        judge("60 tables", many.returncode == 0 and len(json.loads(many.stdout)["schema"]["tables"]) == 60, many.stderr)
        judge("as many calls for 60 tables as for 2", calls == few > 0, f"{calls} for {few}")
        (place.folder / "shape.sql").write_text(SHAPE)
        (place.folder / "after.sql").write_text(AFTER)
        same, _ = place.run("diff", "d1:DB", "sql:shape.sql", "--dialect", "d1")
        judge("no false drift", same.returncode == 0, same.stdout + same.stderr)
        place.execute("DB", "INSERT INTO owner (name) VALUES ('a'); INSERT INTO boat (owner_id, length) VALUES (1, 5.5);")
        drift, _ = place.run("diff", "d1:DB", "sql:after.sql", "--dialect", "d1")
        judge("drift is told", drift.returncode == 1 and "+ table crew" in drift.stdout and "boat.flag" in drift.stdout, drift.stdout + drift.stderr)
        sql, _ = place.run("diff", "d1:DB", "sql:after.sql", "--dialect", "d1", "--format", "sql")
        place.execute("DB", sql.stdout)
        equal, _ = place.run("diff", "d1:DB", "sql:after.sql", "--dialect", "d1")
        judge("its SQL leads there through wrangler", equal.returncode == 0, equal.stdout + equal.stderr + sql.stdout)
        unknown, _ = place.run("inspect", "d1:NOPE", "--format", "json")
        judge("an unknown binding", unknown.returncode == 2 and json.loads(unknown.stdout)["errors"], unknown.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
