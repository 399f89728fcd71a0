#!/usr/bin/env python3
"""ODBC (through the drivers of SQLite and PostgreSQL) and D1 (wrangler, local) as sources and as targets: every
strategy, a contract that holds and one that does not, evolve, and a write that fails at its last row. Of SQL Server,
which cannot be had here, the statements of `dialect: sqlserver` as text, and what SQLite takes of them.

    run_connectors.py --kedge PATH [--duckdb-lib LIB] [--wrangler PATH] [--only a,b]

d1 goes through a stand-in for wrangler over a SQLite file, d1-local through wrangler and its local database.
Prints what differs and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.common import Skip, dump_yaml  # noqa: E402
from kt.databases import Databases  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--duckdb-lib")
parser.add_argument("--wrangler", default="")
parser.add_argument("--only", default="odbc-sqlite,odbc-postgres,odbc-sqlserver,d1,d1-local")
options = parser.parse_args()
kedge = str(Path(options.kedge).resolve())
passed, failed, skipped = 0, 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:1500], flush=True)


class Place:
    """A project with a csv, a SQLite file for what comes back, and the connection that is tested."""

    def __init__(self, folder: Path, connection: dict, run_sql):
        self.folder, self.run_sql = folder, run_sql
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "project.yml").write_text("name: own\nversion: 1.0.0\n")
        connection["retry"] = {"max_attempts": 1}
        (folder / "connections.yml").write_text(dump_yaml({
            "inb": {"connector": "localfiles"}, "t": connection, "back": {"connector": "sqlite", "path": "back.db"}}))

    def pipeline(self, text):
        self.pipelines({"p": text})

    def pipelines(self, texts):
        shutil.rmtree(self.folder / "pipelines", ignore_errors=True)
        (self.folder / "pipelines").mkdir()
        for name, text in texts.items():
            (self.folder / "pipelines" / f"{name}.sql").write_text(text)

    def rows(self, lines, more=""):
        (self.folder / "t.csv").write_text(f"id,note,amount{more}\n" + "".join(line + "\n" for line in lines))

    def kedge(self, *words):
        done = subprocess.run([kedge, "-C", str(self.folder), *words], capture_output=True, text=True, timeout=300,
                              cwd=self.folder)
        return done.returncode, done.stdout + done.stderr

    def write(self, more="", **write):
        text = ", ".join(f"{k}: {json.dumps(v)}" for k, v in write.items()).replace('"', "'")
        self.pipeline(f"INSERT INTO {{{{ sink('t', 'w', {text}) }}}}\nSELECT * FROM {{{{ source('inb', 't', columns: "
                      f"{{id: 'bigint', note: 'varchar', amount: 'decimal(9,2)'{more}}}) }}}}\n")
        return self.kedge("run", "--all")

    def counts(self):
        """Inserted, updated and deleted rows, as the record of the last run has them."""
        record = max((self.folder / ".kedge/runs").iterdir()) / "run.json"
        write = json.loads(record.read_text())["writes"][0]
        return write["inserted"], write["updated"], write["deleted"]

    def read(self, columns):
        """What the connection's table gives under a contract, as rows of a SQLite file of its own."""
        (self.folder / "back.db").unlink(missing_ok=True)
        self.pipeline("INSERT INTO {{ sink('back', 'r', strategy: 'replace') }}\n"
                      f"SELECT * FROM {{{{ source('t', 'w', columns: {columns}) }}}}\n")
        code, text = self.kedge("run", "--all")
        if code:
            return code, text
        return code, self.back("SELECT * FROM r ORDER BY 1")

    def back(self, sql):
        with sqlite3.connect(self.folder / "back.db") as database:
            return database.execute(sql).fetchall()


MERGED = 3000  # enough that two merges of so many rows are under way at once
ALL = "{id: 'bigint', note: 'varchar', amount: 'decimal(9,2)'}"


def run_place(name, place):
    place.rows(["1,a,1.25", "2,,-0.5"])
    code, text = place.write(strategy="append")
    judge(f"{name} creates its target", code == 0, text)
    found = place.read(ALL)
    judge(f"{name} reads back", found == (0, [(1, "a", 1.25), (2, None, -0.5)]), found)
    if name != "d1-local":  # every call of wrangler takes seconds
        run_strategies(name, place)
    run_merge(name, place)


def run_strategies(name, place):
    place.rows(["3,it's,3"])
    code, text = place.write(strategy="append")
    judge(f"{name} appends", code == 0 and len(place.read(ALL)[1]) == 3, text)
    place.rows(["4,d,4", "5,e,5"])
    code, text = place.write(strategy="replace")
    judge(f"{name} replaces", code == 0 and [r[0] for r in place.read(ALL)[1]] == [4, 5], text)
    code, found = place.read("{id: 'bigint', gone: 'varchar'}")
    judge(f"{name} misses a column", code == 1 and "PZ0804" in found and "'gone'" in found, found)
    code, found = place.read("{id: 'bigint', note: 'integer'}")
    judge(f"{name} cannot convert", code == 1 and "PZ0804" in found and "'note'" in found, found)
    judge(f"{name} prunes", place.read("{note: 'varchar'}") == (0, [("d",), ("e",)]))


def run_merge(name, place):
    place.run_sql("DROP TABLE w")
    place.run_sql("CREATE TABLE w (id bigint PRIMARY KEY, note varchar(99) CHECK (note <> 'bad'), amount decimal(9,2), own int DEFAULT 7)")
    place.run_sql("INSERT INTO w (id, note, amount) VALUES (1, 'one', 1), (9, 'nine', 9)")
    place.rows(["1,uno,10", "2,dos,20"])
    code, text = place.write(strategy="merge", keys=["id"])
    judge(f"{name} merges", code == 0, text)
    merged = [(1, "uno", 10), (2, "dos", 20), (9, "nine", 9)]
    found = place.read(ALL)
    judge(f"{name} has merged", found == (0, merged), found)
    place.rows([f"{i},new,1" for i in range(100, 1300)] + ["1300,bad,1"])
    for write in ({"strategy": "append"}, {"strategy": "replace"}, {"strategy": "merge", "keys": ["id"]}):
        code, text = place.write(**write)
        judge(f"{name} {write['strategy']} fails at its last row", code == 1, text)
        found = place.read(ALL)
        judge(f"{name} {write['strategy']} leaves its target", found == (0, merged), str(found)[:300])
        if name == "d1-local":
            break
    if name != "d1-local":
        run_deletions(name, place)
        run_two_merges(name, place)
    before = len(place.read(ALL)[1])
    place.rows([f"{i},new,1" for i in range(100, 3100)])
    code, text = place.write(strategy="append")
    judge(f"{name} writes many rows", code == 0 and len(place.read(ALL)[1]) == before + 3000, text)
    place.pipeline("INSERT INTO {{ sink('t', 'w', strategy: 'append', schema_policy: 'evolve') }}\n"
                   "SELECT 5000::BIGINT AS id, 'x' AS note, 1::DECIMAL(9,2) AS amount, 'seal' AS seal\n")
    code, text = place.kedge("run", "--all")
    judge(f"{name} evolves", code == 0 and "'seal' added" in text, text)
    columns = "{id: 'bigint', note: 'varchar', seal: 'varchar'}"
    judge(f"{name} has evolved", place.read(columns)[1][-1] == (5000, "x", "seal"), str(place.read(columns))[-300:])


def run_deletions(name, place):
    """Rows that the input no longer has, and rows that it says are gone; of equal keys the last row counts."""
    def table(rows):
        place.run_sql("DROP TABLE w")
        place.run_sql("CREATE TABLE w (id bigint PRIMARY KEY, note varchar(99) CHECK (note <> 'bad'), amount decimal(9,2), own int DEFAULT 7)")
        for row in rows:
            place.run_sql(f"INSERT INTO w (id, note, amount) VALUES {row}")

    def judge_left(what, done, rows, counts):
        told = place.counts()
        found = place.read(ALL)
        judge(f"{name} {what}", done[0] == 0 and found == (0, rows) and told == counts, f"{done} {found} {told}")

    old = [(1, "one", 1), (2, "two", 2), (9, "nine", 9)]
    table(old)
    place.rows(["1,uno,10", "3,tres,30"])
    done = place.write(strategy="merge", keys=["id"], on_delete="delete")
    judge_left("deletes what the input no longer has", done, [(1, "uno", 10), (3, "tres", 30)], (1, 1, 2))
    table(old)
    place.rows(["1,uno,10,false", "2,,,true", "3,tres,30,true", "3,three,3,false", "9,neuf,90,false", "9,,,true"], ",gone")
    done = place.write(more=", gone: 'boolean'", strategy="merge", keys=["id"], on_delete="delete", delete_flag="gone")
    judge_left("deletes what is flagged", done, [(1, "uno", 10), (3, "three", 3)], (1, 1, 2))
    place.run_sql("DROP TABLE w")
    done = place.write(more=", gone: 'boolean'", strategy="merge", keys=["id"], on_delete="delete", delete_flag="gone")
    judge_left("creates the target of a merge", done, [(1, "uno", 10), (3, "three", 3)], (2, 0, 0))
    table(old)
    place.rows(["1,uno,10"])
    for time, counts in (("first", (0, 1, 2)), ("second", (0, 1, 0))):
        done = place.write(strategy="merge", keys=["id"], on_delete="soft", schema_policy="evolve")
        judge_left(f"marks what the input no longer has, the {time} time", done, [(1, "uno", 10), *old[1:]], counts)
    left = place.read("{id: 'bigint', _kedge_deleted_at: 'timestamptz'}")
    judge(f"{name} has marked", left[0] == 0 and [row[1] is None for row in left[1]] == [True, False, False], left)
    table([(1, "one", 1)])
    place.rows(["1,uno,10"])


def run_two_merges(name, place):
    """Two merges into one database at once, and what a killed run left there."""
    tables = ("ta", "tb")
    old, young = "_kedge_side_20200101T000000000Z-0000_00000000", "_kedge_side_90000101T000000000Z-0000_00000000"
    for table in tables:
        place.run_sql(f"CREATE TABLE {table} (id bigint PRIMARY KEY, note varchar(9))")
    for table in (old, young) if name == "d1" else ():
        place.run_sql(f'CREATE TABLE "{table}" (id bigint)')
    for time in range(2):
        place.pipelines({table: f"INSERT INTO {{{{ sink('t', '{table}', strategy: 'merge', keys: ['id']) }}}}\n"
                                f"SELECT i AS id, '{table}{time}' AS note FROM range({MERGED}) AS r(i)\n" for table in tables})
        code, text = place.kedge("run", "--all")
        place.pipelines({table: f"INSERT INTO {{{{ sink('back', '{table}', strategy: 'replace') }}}}\n"
                                f"SELECT * FROM {{{{ source('t', '{table}', columns: {{id: 'bigint', note: 'varchar'}}) }}}}\n" for table in tables})
        place.kedge("run", "--all")
        found = [place.back(f"SELECT note, count(*) FROM {table} GROUP BY 1") for table in tables]
        judge(f"{name} merges into two tables at once ({time})",
              code == 0 and found == [[(f"{table}{time}", MERGED)] for table in tables], f"{found} {text}")
    if name == "d1":
        with sqlite3.connect(place.folder / "x.db") as database:
            left = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE name GLOB '_kedge_side*'")]
        judge(f"{name} drops what a killed run left, and nothing of a live one", left == [young], left)
    for table in tables:
        place.run_sql(f"DROP TABLE {table}")


def odbc_sqlite(databases, folder):
    file = folder / "x.db"
    folder.mkdir(parents=True)

    def run_sql(sql):
        with sqlite3.connect(file) as database:
            database.execute(sql)

    return Place(folder, {"connector": "odbc", "connection_string": f"Driver=SQLite3;Database={file}"}, run_sql)


def odbc_postgres(databases, folder):
    own = databases.open("postgres", folder, folder)
    at = own.connection()
    text = (f"Driver=PostgreSQL Unicode;Servername={at['host']};Port={at['port']};Database={at['database']};"
            f"Uid={at['user']};Pwd=x")
    return Place(folder, {"connector": "odbc", "connection_string": text, "schema": "public"}, own.script)


# DuckDB type: what SQL Server calls it, and a value.
SQLSERVER = {
    "BOOLEAN": ("bit", "true"), "TINYINT": ("smallint", "-1"), "UTINYINT": ("tinyint", "255"), "SMALLINT": ("smallint", "-2"),
    "USMALLINT": ("int", "65535"), "INTEGER": ("int", "-3"), "UINTEGER": ("bigint", "4294967295"), "BIGINT": ("bigint", "-4"),
    "UBIGINT": ("decimal(20,0)", "18446744073709551615"), "HUGEINT": ("decimal(38,0)", "12345678901234567890"), "FLOAT": ("real", "0.5"),
    "DOUBLE": ("float", "0.25"), "DECIMAL(9,2)": ("decimal(9,2)", "1.25"), "VARCHAR": ("nvarchar(max)", "'x'"), "BLOB": ("varbinary(max)", "'x'"),
    "DATE": ("date", "'2027-01-02'"), "TIME": ("time", "'01:02:03'"), "TIMESTAMP": ("datetime2(6)", "'2027-01-02 03:04:05.123456'"),
    "TIMESTAMPTZ": ("datetimeoffset(6)", "'2027-01-02 03:04:05+00'"), "UUID": ("uniqueidentifier", "'00000000-0000-0000-0000-00000000000a'"),
    "JSON": ("nvarchar(max)", "'[1]'"), "INTEGER[]": ("nvarchar(max)", "[1]"), "STRUCT(a INTEGER)": ("nvarchar(max)", "{'a': 1}")}


def sqlserver(folder):
    """`dialect: sqlserver` on a driver that is there. SQLite takes any name of a type but (max)."""
    file = folder / "x.db"
    folder.mkdir(parents=True)
    place = Place(folder, {"connector": "odbc", "dialect": "sqlserver", "connection_string": f"Driver=SQLite3;Database={file}"}, None)

    def planned(sink, select):
        place.pipeline(f"INSERT INTO {{{{ sink('t', {sink}) }}}}\nSELECT {select}\n")
        code, text = place.kedge("plan", "--format", "json")
        document = json.loads(text[text.index("{"):]) if "{" in text else {}
        writes = document.get("writes", [{}])
        return writes[0].get("statements", []) or [text]

    def columns(types):
        return ", ".join(f"{SQLSERVER[t][1]}::{t} AS c{i}" for i, t in enumerate(SQLSERVER) if t in types)

    found = planned("'dbo.w'", columns(SQLSERVER))
    wanted = "CREATE TABLE [dbo].[w] (" + ", ".join(f"[c{i}] {name}" for i, (name, _) in enumerate(SQLSERVER.values())) + ")"
    judge("sqlserver creates every type", found == [wanted], f"{found} != {wanted}")
    found = planned("'w', strategy: 'merge', keys: ['a]b'], on_delete: 'soft'", "'k' AS \"a]b\", 1::DOUBLE AS d")
    wanted = "CREATE TABLE [w] ([a]]b] nvarchar(255) NOT NULL, [d] float, [_kedge_deleted_at] datetime2(6), PRIMARY KEY ([a]]b]))"
    judge("sqlserver creates a key", found == [wanted], f"{found} != {wanted}")
    found = planned("'w', columns: {a: 'varchar(7)'}", "'x' AS a")
    judge("sqlserver creates a text of a length", found == ["CREATE TABLE [w] ([a] nvarchar(7))"], found)

    # What it created it finds again as it is: the same names, read back.
    plain = [t for t, (name, _) in SQLSERVER.items() if "max" not in name and t not in ("TIMESTAMPTZ", "UUID")]
    place.pipeline(f"INSERT INTO {{{{ sink('t', 'w') }}}}\nSELECT {columns(plain)}\n")
    for time in ("first", "second"):
        code, text = place.kedge("run", "--all")
        judge(f"sqlserver appends, the {time} time", code == 0, text)
    with sqlite3.connect(file) as database:
        made = database.execute("SELECT sql FROM sqlite_master").fetchone()[0].replace("IF NOT EXISTS ", "")
    wanted = "CREATE TABLE [w] (" + ", ".join(f"[c{i}] {SQLSERVER[t][0]}" for i, t in enumerate(SQLSERVER) if t in plain) + ")"
    judge("sqlserver made what was planned", made == wanted, f"{made} != {wanted}")
    found = planned("'w', schema_policy: 'evolve'", columns(plain) + ", 'x' AS seal")
    judge("sqlserver evolves", found == ["ALTER TABLE [w] ADD [seal] nvarchar(max)"], found)
    place.pipeline("INSERT INTO {{ sink('t', 'none') }}\nSELECT INTERVAL 1 DAY AS i\n")
    code, text = place.kedge("run", "--all")
    judge("sqlserver has no intervals", code == 1 and "PZ0802" in text and "'i'" in text, text)


def d1(databases, folder):
    file = folder / "x.db"
    folder.mkdir(parents=True)
    stand_in = Path(__file__).resolve().parent.parent / "cases/runner/kt/wrangler_stub.py"
    tool = folder / "wrangler"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{stand_in}" "{file}" "$@"\n')
    tool.chmod(0o755)

    def run_sql(sql):
        with sqlite3.connect(file) as database:
            database.execute(sql)

    return Place(folder, {"connector": "d1", "database": "DB", "wrangler": str(tool)}, run_sql)


def d1_local(databases, folder):
    wrangler = shutil.which(options.wrangler or "wrangler")
    if not wrangler:
        raise Skip("no wrangler")
    folder.mkdir(parents=True)
    (folder / "wrangler.toml").write_text(
        'name = "own"\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "own"\ndatabase_id = "00000000-0000-0000-0000-000000000000"\n')

    def run_sql(sql):
        done = subprocess.run([wrangler, "d1", "execute", "DB", "--local", "--command", sql], cwd=folder, capture_output=True,
                              text=True, env={**os.environ, "WRANGLER_SEND_METRICS": "false", "CI": "1"})
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)

    return Place(folder, {"connector": "d1", "database": "DB", "wrangler": wrangler}, run_sql)


def main():
    global skipped
    databases = Databases(options.duckdb_lib, pg_tcp=True)
    with tempfile.TemporaryDirectory(prefix="kedge-connectors-", ignore_cleanup_errors=True) as base:
        os.chmod(base, 0o755)
        try:
            for name in options.only.split(","):
                try:
                    if name == "odbc-sqlserver":
                        sqlserver(Path(base) / name)
                        continue
                    run_place(name, globals()[name.replace("-", "_")](databases, Path(base) / name))
                except Skip as why:
                    skipped += 1
                    print(f"SKIP {name}: {why}")
        finally:
            databases.stop()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed and not skipped else 1


sys.exit(main())
