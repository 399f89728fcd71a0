#!/usr/bin/env python3
"""Is what `kedge impact` says true? Generated changes on a project over PostgreSQL: what impact says breaks must be
exactly what `kedge check` finds new after the change was made to a copy of the database. What the server refuses because
something stands on it is made as one has to: with CASCADE, or with what is in the way taken off and put back.
    run_truth.py --kedge PATH [--changes N] [--seed N]    prints `N passed, N failed`"""
import argparse
import collections
import json
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--changes", type=int, default=60)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--types", action="store_true", help="a new type for each column, one at a time, instead of random changes")
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
root = pathlib.Path(__file__).resolve().parent.parent.parent
COLUMNS = {"berths": ["code", "side", "length_m"], "vessels": ["call_sign", "name", "gross_tons", "draught_m"],
           "moorings": ["berth_id", "vessel_id", "since", "until", "fee"]}
TYPES = {"code": "bytea", "side": "bytea", "length_m": "text", "call_sign": "bytea", "name": "bytea", "gross_tons": "text",
         "draught_m": "double precision", "berth_id": "text", "vessel_id": "text", "since": "text", "until": "date", "fee": "text"}

# Tables that metadata does not know: targets of pipelines.
# Those in a schema of their own have the names of others.
COLUMNS |= {"s2.vessels": ["call_sign", "gross_tons", "name"], "s2.ledger": ["call_sign", "name"]}
COLUMNS |= {"ledger": ["call_sign", "name", "tons"], "stays": ["id", "berth", "weight", "note"], "log": ["box", "seen"]}
TYPES |= {"tons": "text", "id": "text", "berth": "bytea", "weight": "text", "note": "integer", "box": "bytea", "seen": "text"}
TARGETS = """
CREATE TABLE ledger (call_sign varchar(12) NOT NULL, name varchar(80), tons numeric(10,1), PRIMARY KEY (call_sign));
CREATE TABLE stays (id bigint PRIMARY KEY, berth text, weight numeric(12,3), note text REFERENCES ledger (call_sign));
CREATE SCHEMA s2;
CREATE TABLE s2.vessels (call_sign varchar(12) NOT NULL, gross_tons numeric(10,1), name varchar(80));
CREATE TABLE s2.ledger (call_sign varchar(12) PRIMARY KEY, name varchar(80));
CREATE VIEW s2.big AS SELECT call_sign, gross_tons FROM s2.vessels WHERE gross_tons > 100;
CREATE TABLE log (box varchar(20) UNIQUE, seen timestamp);
"""
READS_AND_TARGETS = """    fleet:
      read:
        query: SELECT call_sign, name FROM vessels WHERE draught_m > 3
        columns: {call_sign: varchar(12), name: varchar(80)}
    all_berths:
      read:
        query: SELECT * FROM berths
        columns: {code: varchar, side: varchar, length_m: "decimal(6,2)"}
    public.log:
      read:
        extra_columns: fail
        columns:
          box: {type: varchar(20), not_null: true, unique: true}
          seen: timestamp
    s2.vessels:
      read:
        columns: {call_sign: varchar(12), name: varchar(80)}
    s2.big:
      read:
        columns: {call_sign: varchar(12), gross_tons: "decimal(10,1)"}
    s2.ledger:
      write: {strategy: merge, keys: [call_sign]}
    public.ledger:
      write: {strategy: merge, keys: [call_sign]}
    public.stays:
      write:
        schema_policy: additive
        columns: {id: bigint, berth: varchar, weight: "decimal(12,3)"}
"""
# A second name of the same database.
BESIDE = """  entities:
    public.berths:
      read:
        columns: {code: varchar, length_m: "decimal(6,2)"}
    public.log:
      write: {schema_policy: evolve, strategy: merge, keys: [box]}
"""
PIPELINES = {
    "ledger": "INSERT INTO {{ sink('harbour', 'public.ledger') }}\n"
              "SELECT call_sign, name, gross_tons AS tons FROM {{ source('harbour', 'public.vessels') }}\n",
    "stays": "INSERT INTO {{ sink('harbour', 'public.stays') }}\nSELECT id, 'x' AS berth, 1.5::DECIMAL(12,3) AS weight "
             "FROM {{ source('harbour', 'public.moorings') }}\n",
    "boxes": "INSERT INTO {{ sink('beside', 'public.log') }}\nSELECT box, now()::TIMESTAMP AS seen FROM {{ ref('seen') }}\n",
    "seen": "SELECT code AS box FROM {{ source('beside', 'public.berths') }}\n",
    "second": "INSERT INTO {{ sink('harbour', 's2.ledger') }}\nSELECT call_sign, name FROM {{ source('harbour', 's2.vessels') }}\n",
    "big": "SELECT call_sign FROM {{ source('harbour', 's2.big') }}\n",
    "fleet": "SELECT name FROM {{ source('harbour', 'fleet') }}\n",
}


class Cluster:
    def __enter__(self):
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)[0]
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="kit"))
        self.user = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.base, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid}
        subprocess.run([self.programs / "initdb", "-D", self.base / "d", "-U", "kedge", "-A", "trust", "--no-sync"], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.base, **self.user)
        self.server = subprocess.Popen([self.programs / "postgres", "-D", self.base / "d", "-k", self.base, "-c", "listen_addresses=",
                                        "-c", "fsync=off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.base, **self.user)
        for _ in range(100):
            if subprocess.run(["psql", "-h", self.base, "-U", "kedge", "-d", "postgres", "-qc", "SELECT 1"], capture_output=True).returncode == 0:
                return self
            time.sleep(0.1)
        raise SystemExit("PostgreSQL does not start")

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGINT)
        self.server.wait(timeout=30)
        shutil.rmtree(self.base)

    def sql(self, database, text):
        return subprocess.run(["psql", "-h", self.base, "-U", "kedge", "-d", database, "-qXv", "ON_ERROR_STOP=1",
                               *(["--single-transaction"] if database != "postgres" else [])], input=text,
                              capture_output=True, text=True)


def make_project(folder, cluster):
    shutil.copytree(root / "examples/harbour", folder, dirs_exist_ok=True)
    (folder / "project.yml").write_text((folder / "project.yml").read_text().replace("dialect: sqlite", "dialect: postgres"))
    (folder / "connections.yml").write_text(
        f"harbour:\n  connector: postgres\n  host: {cluster.base}\n  database: ${{HARBOUR_DB}}\n  user: kedge\n"
        "  entities:\n    public.vessels:\n      read:\n        columns:\n          call_sign: varchar(12)\n"
        "          gross_tons: \"decimal(10,1)\"\n          name: varchar(80)\n"
        "    public.moorings:\n      read:\n        columns:\n          id: bigint\n          fee: \"decimal(10,2)\"\n"
        + READS_AND_TARGETS + f"beside:\n  connector: postgres\n  host: {cluster.base}\n  database: ${{HARBOUR_DB}}\n  user: kedge\n"
        + BESIDE)
    for path in (folder / "pipelines").glob("*.sql"):
        path.unlink()
    for name, text in PIPELINES.items():
        (folder / "pipelines" / f"{name}.sql").write_text(text)
    (folder / "pipelines/configs").mkdir(exist_ok=True)
    (folder / "pipelines/configs/ledger.yml").write_text("pipeline: ledger\nchecks:\n  - not_null: [call_sign]\n")
    (folder / "models/harbour/moorings.yml").write_text(
        (folder / "models/harbour/moorings.yml").read_text().replace("{name: since, type: TEXT}", "{name: since, type: TIMESTAMP}"))
    (folder / "models/harbour/deep.yml").write_text(
        "name: deep\nsql: SELECT v.name, v.draught_m AS draught FROM vessels v WHERE v.draught_m > 9\n"
        "columns:\n  - {name: name, type: TEXT}\n  - {name: draught, type: DOUBLE}\n")
    (folder / "models/harbour/berth_load.yml").write_text(
        "name: berth_load\nsql_table: v_berth_load\ncolumns:\n  - {name: code, type: TEXT}\n  - {name: mooring_count, type: INT}\n")


def run(folder, database, *arguments):
    done = subprocess.run([kedge, "-C", str(folder), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "HARBOUR_DB": database}, timeout=120)
    return done


def identity(item, part):
    subject = item.get("subject", {})
    return (part, item.get("code", ""), subject.get("container", ""), subject.get("name", ""))


def check(folder, database):
    done = run(folder, database, "check", "--skip", "replay", "--format", "json")
    document = json.loads(done.stdout)
    found = {identity(item, item["guard"]) for item in document["findings"] if item["severity"] == "error"}
    for item in document["errors"]:  # what could not be read: the message names the entity
        entity = re.search(r"entity '\w+\.([^']+)'", item["message"])
        found.add((item["guard"], item["code"], entity.group(1) if entity else "", ""))
    return found


def random_change(rng):
    steps = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        table = rng.choice(list(COLUMNS))
        column = rng.choice(COLUMNS[table])
        if any(step[1] == table for step in steps):
            continue
        steps.append((rng.choice(["drop", "drop", "rename", "retype", "table"]), table, column))
    return steps


def flags_of(steps):
    flags = []
    for kind, table, column in steps:
        flags += {"drop": ["--drop-column", f"{table}.{column}"], "rename": ["--rename", f"{table}.{column}={column}_2"],
                  "retype": ["--retype", f"{table}.{column}={TYPES[column]}"], "table": ["--drop-table", table]}[kind]
    return flags


def statement_of(step, cascade=""):
    kind, table, column = step
    if kind == "drop":
        return f"ALTER TABLE {table} DROP COLUMN {column}{cascade};"
    if kind == "rename":
        return f"ALTER TABLE {table} RENAME COLUMN {column} TO {column}_2;"
    if kind == "table":
        return f"DROP TABLE {table}{cascade};"
    return (f"ALTER TABLE {table} ALTER COLUMN {column} DROP DEFAULT;"
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {TYPES[column]} USING {column}::text::{TYPES[column]};")


# What stands in the way of a new type, with the statements that take it away and bring it again.
IN_THE_WAY = """
SELECT format('DROP VIEW %s CASCADE', c.oid::regclass), format('CREATE VIEW %s AS %s; COMMENT ON VIEW %s IS %L', c.oid::regclass,
       rtrim(pg_get_viewdef(c.oid), ';'), c.oid::regclass, obj_description(c.oid, 'pg_class'))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND n.nspname IN ('public', 's2')
UNION ALL
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE contype IN ('c', 'f') AND (conrelid = '{table}'::regclass OR confrelid = '{table}'::regclass)
"""


def apply_step(cluster, database, step):
    """As somebody does it who means it: what a drop is refused for goes along, what a type is refused for is taken off and put
    back. Gives how it went: "plain", "cascade", "made way"; nothing when no database can look so (a foreign key or a CHECK
    that the new type does not allow)."""
    if cluster.sql(database, statement_of(step)).returncode == 0:
        return "plain"
    if step[0] in ("drop", "table"):
        return "cascade" if cluster.sql(database, statement_of(step, " CASCADE")).returncode == 0 else None
    listed = cluster.sql(database, "\\t on\n\\pset format unaligned\n\\pset fieldsep '\\x1f'\n\\pset recordsep '\\x1e'\n"
                         + IN_THE_WAY.replace("{table}", step[1])).stdout
    parts = [record.strip("\n").split("\x1f") for record in listed.split("\x1e") if "\x1f" in record]
    for away, _ in parts:
        cluster.sql(database, away)
    if cluster.sql(database, statement_of(step)).returncode != 0:
        return None
    put_back = [cluster.sql(database, again).returncode == 0 for _, again in parts]
    return "made way" if all(put_back) else None


def judge(cluster, folder, steps, number, before):
    database = f"c{number}"
    cluster.sql("postgres", f"CREATE DATABASE {database} TEMPLATE start STRATEGY file_copy")
    ways = [apply_step(cluster, database, step) for step in steps]
    if None in ways:  # no server takes it in any way: no truth to compare with
        cluster.sql("postgres", f"DROP DATABASE {database}")
        return None
    said = run(folder, "start", "impact", *flags_of(steps), "--format", "json")
    document = json.loads(said.stdout)
    guards = ("models", "metadata", "contracts")
    expected = {identity(item, item["part"]) for item in document["impacts"]
                if item["effect"] == "breaks" and item["part"] in guards and item.get("code")}
    found = check(folder, database) - before
    cluster.sql("postgres", f"DROP DATABASE {database}")
    return expected, found, ways


def main():
    rng = random.Random(options.seed)
    passed = failed = refused = 0
    met = collections.Counter()
    with Cluster() as cluster, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_project(folder, cluster)
        cluster.sql("postgres", "CREATE DATABASE start")
        done = run(folder, "start", "migrate", "--apply", "--db", "harbour", "--slug", "first")
        if done.returncode != 0:
            print(done.stdout, done.stderr)
            return 1
        cluster.sql("start", TARGETS)
        run(folder, "start", "gen")
        before = check(folder, "start")
        # Tables of nobody are told as such; that stays, whatever becomes of their columns.
        strange = {("metadata", "schema_difference", "", table) for table in ("ledger", "stays", "log")}
        if before != strange:
            print("the healthy project is not healthy:", before)
            failed += 1
        number = 0
        every = [[("retype", table, column)] for table in COLUMNS for column in COLUMNS[table]]
        while passed + failed < options.changes and number < (len(every) if options.types else options.changes * 4):
            number += 1
            steps = every[number - 1] if options.types else random_change(rng)
            result = judge(cluster, folder, steps, number, before)
            if result is None:
                refused += 1
                continue
            expected, found, ways = result
            met.update(ways)
            if expected == found:
                passed += 1
            else:
                failed += 1
                print(f"FAIL {steps}: only impact says {sorted(expected - found)}; only check finds {sorted(found - expected)}"[:700])
    print(f"{refused} changes cannot be made at all and are not counted; steps: " + ", ".join(f"{n} {way}" for way, n in sorted(met.items())))
    if met["cascade"] + met["made way"] == 0:
        print("no change met a refusal")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


sys.exit(main())
