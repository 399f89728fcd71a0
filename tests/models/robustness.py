#!/usr/bin/env python3
"""What cases cannot say about semantic models: databases that are down or forbid, kills, two writers, big schemas.

robustness.py --kedge PATH [--duckdb-lib LIB] [--only WORD] [--kills N] [--tables N]
Prints one line per check and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import argparse
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.common import Skip, dump_yaml, tree  # noqa: E402
from kt.databases import Databases, SqlError  # noqa: E402

DRIVERS = ("sqlite", "duckdb", "postgres", "mysql")


class Failed(Exception):
    """A check that does not hold."""


def must(condition, text):
    if not condition:
        raise Failed(text)


class Project:
    def __init__(self, kedge: Path, folder: Path):
        self.kedge, self.folder = kedge, folder
        self.variables = {}
        folder.mkdir(parents=True)
        self.write("project.yml", 'name: robust\nversion: "1.0.0"\n')

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def connect(self, settings):
        self.write("connections.yml", dump_yaml({"main": settings}))

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **{k: str(v) for k, v in self.variables.items()}}

    def start(self, *args):
        return subprocess.Popen([self.kedge, "-C", self.folder, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment())

    def run(self, *args):
        process = self.start(*args)
        out, err = process.communicate(timeout=120)
        return process.returncode, out.decode(), err.decode()

    def models(self):
        return {k: v for k, v in tree(self.folder / "models").items() if v is not None}


class Driver:
    """A database of one driver with its connection settings."""

    def __init__(self, name, checks):
        self.name = name
        folder = checks.folder / f"db-{name}-{checks.number()}"
        folder.mkdir()
        self.path = folder / "main.db"
        self.database = checks.databases.open(name, self.path, folder)
        if name in ("postgres", "mysql"):
            self.settings = self.database.connection()
            self.variables = self.database.variables()
        else:
            self.settings = {"connector": name, "path": str(self.path)}
            self.variables = {}
            self.database.script("CREATE TABLE seed_ (a INTEGER); DROP TABLE seed_;")

    def changed(self, **more):
        return {**self.settings, **more}


TWO_TABLES = """CREATE TABLE crates (crate_id INTEGER, depot_id INTEGER, kg DOUBLE PRECISION);
CREATE TABLE depots (id INTEGER, city VARCHAR(20));
"""
CRATES = """# weighed on arrival
name: crates
sql_table: crates
columns:
  - {name: crate_id, type: INT, primary_key: true}
  - {name: depot_id, type: INT}
  - {name: kg, type: DOUBLE}   # net
  - {name: site, sql: depots.city, type: TEXT}
measures:
  - {name: load, formula: "kg:sum"}
joins:
  - {target_model: depots, join_pairs: [[depot_id, id]]}
"""
DEPOTS = "name: depots\nsql_table: depots\ncolumns:\n  - {name: id, type: INT}\n  - {name: city, type: TEXT}\n"
HEAVY = "name: heavy\nsql: SELECT crate_id, kg FROM crates WHERE kg > 10\ncolumns:\n  - {name: crate_id, type: INT}\n"


class Checks:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.databases = Databases(args.duckdb_lib)
        self.count = 0
        self.results = {"passed": 0, "failed": 0, "skipped": 0}

    def number(self):
        self.count += 1
        return self.count

    def project(self, driver=None):
        project = Project(self.args.kedge, self.folder / f"p{self.number()}")
        if driver:
            project.connect(driver.settings)
            project.variables = driver.variables
        return project

    def harbour(self, driver):
        project = self.project(driver)
        project.write("models/main/crates.yml", CRATES)
        project.write("models/main/depots.yml", DEPOTS)
        project.write("models/main/heavy.yml", HEAVY)
        return project

    def check(self, name, function):
        if self.args.only and self.args.only not in name:
            return
        started = time.monotonic()
        try:
            function()
            kind, text = "passed", ""
        except Skip as skip:
            kind, text = "skipped", f": {skip}"
        except (Failed, SqlError, subprocess.TimeoutExpired) as failure:
            kind, text = "failed", f": {failure}"
        self.results[kind] += 1
        print(f"{kind:8} {name} ({time.monotonic() - started:.1f} s){text}", flush=True)

    # ------------------------------------------------------------------------------------------- never a delete

    def nothing_deleted(self, project, may_hit, why):
        """Exit 2, files as they were, and no entry for the models that could not be looked at."""
        before = project.models()
        code, out, err = project.run("validate-models", "--format", "json")
        must(code == 2, f"{why}: exit {code}, expected 2: {out[:300]} {err[:300]}")
        entries = json.loads(out)
        must(isinstance(entries, list), f"{why}: the project itself is refused: {out[:400]}")
        hit = [e["model_name"] for e in entries if may_hit is None or e["model_name"] in may_hit]
        must(not hit, f"{why}: entries for {hit}: {err[:300]}")
        must(err.strip(), f"{why}: nothing on standard error")
        if not entries:
            _, text, _ = project.run("validate-models")
            must(text == "No drift detected in what could be checked.\n", f"{why}: the text says {text!r}")
        if not entries:
            code, out, err = project.run("validate-models", "--force-clean", "--yes", "--format", "json")
            must(code == 2, f"{why}: --force-clean exit {code}: {out[:300]} {err[:300]}")
            must(project.models() == before, f"{why}: files were changed")

    def down(self, name):
        driver = Driver(name, self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        code, out, err = project.run("validate-models", "--format", "json")
        must(code == 0 and json.loads(out) == [], f"the healthy project is not clean: {code} {out[:300]} {err[:300]}")
        for why, settings in self.bad_settings(driver).items():
            project.connect(settings)
            self.nothing_deleted(project, None, why)

    def bad_settings(self, driver):
        if driver.name in ("sqlite", "duckdb"):
            folder = driver.path.parent
            (folder / "empty.db").write_bytes(b"")
            (folder / "garbage.db").write_bytes(b"this is not a database file " * 200)
            whole = driver.path.read_bytes()
            (folder / "cut.db").write_bytes(whole[: max(100, len(whole) // 3)])
            (folder / "dir.db").mkdir()
            return {why: driver.changed(path=str(folder / file))
                    for why, file in (("a wrong path", "none/x.db"), ("a missing file", "x.db"), ("an empty file", "empty.db"),
                                      ("no database file", "garbage.db"), ("a cut file", "cut.db"), ("a folder", "dir.db"))}
        settings = {"a closed port": driver.changed(host="127.0.0.1", port=1), "no such database": driver.changed(database="nowhere_"),
                    "no such user": driver.changed(user="nobody_")}
        if driver.name == "mysql":
            settings["a wrong password"] = driver.changed(password="wrong")
        return settings

    def forbidden_table(self, name):
        driver = Driver(name, self)
        driver.database.script(TWO_TABLES)
        user = f"reader{self.number()}_{os.getpid()}"
        if name == "postgres":
            driver.database.script(f"CREATE ROLE {user} LOGIN; GRANT SELECT ON depots TO {user};")
            settings = driver.changed(user=user)
        else:
            server = driver.database.server
            done = server._client(driver.database.name, f"CREATE USER '{user}'@'%' IDENTIFIED BY 'pw'; CREATE USER '{user}'@'localhost'"
                                  f" IDENTIFIED BY 'pw'; GRANT SELECT ON {driver.database.name}.depots TO '{user}'@'%';"
                                  f" GRANT SELECT ON {driver.database.name}.depots TO '{user}'@'localhost';", user="root", password=None)
            must(done.returncode == 0, done.stderr)
            settings = driver.changed(user=user, password="pw")
        project = self.harbour(driver)
        project.connect(settings)
        self.nothing_deleted(project, {"crates", "heavy"}, "no right on one table")
        driver.database.script("ALTER TABLE depots DROP COLUMN city;")
        code, out, err = project.run("validate-models", "--format", "json")
        names = [e["model_name"] for e in json.loads(out)]
        must(code == 2 and names == ["depots"], f"the rest is not checked: exit {code}, {names} {err[:300]}")

    def forbidden_column(self):
        driver = Driver("mysql", self)
        driver.database.script(TWO_TABLES)
        user = f"part{self.number()}_{os.getpid()}"
        name = driver.database.name
        grants = "".join(f"CREATE USER '{user}'@'{host}' IDENTIFIED BY 'pw'; GRANT SELECT ON {name}.depots TO '{user}'@'{host}';"
                         f"GRANT SELECT (crate_id) ON {name}.crates TO '{user}'@'{host}';" for host in ("%", "localhost"))
        done = driver.database.server._client(name, grants, user="root", password=None)
        must(done.returncode == 0, done.stderr)
        project = self.harbour(driver)
        project.connect(driver.changed(user=user, password="pw"))
        self.nothing_deleted(project, {"crates", "heavy"}, "no right on one column")

    def locked_table(self, name):
        driver = Driver(name, self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        project.connect(driver.changed(command_timeout_seconds=1))
        server = driver.database.server
        if name == "postgres":
            lock = "BEGIN; LOCK TABLE crates IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(30);"
            command = [server.psql, "-X", "-q", "-h", server.host, "-p", str(server.port), "-U", driver.settings["user"], "-d",
                       driver.database.name, "-c", lock]
            environment = {"PATH": os.environ["PATH"]}
        else:
            lock = "LOCK TABLES crates WRITE; SELECT SLEEP(30);"
            command = [server.client, "--no-defaults", f"--socket={server.socket}", f"--user={driver.settings['user']}",
                       driver.database.name, "-e", lock]
            environment = {"PATH": os.environ["PATH"], "MYSQL_PWD": driver.variables["KT_MY_PASSWORD"]}
        holder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        try:
            time.sleep(0.7)
            before = project.models()
            code, out, err = project.run("validate-models", "--format", "json")
            must(json.loads(out) == [], f"entries: {out[:300]}")
            must(project.models() == before, "files were changed")
            # Reading the definition of a locked table may be possible; then nothing failed.
            must(code in (0, 2), f"exit {code}: {err[:300]}")
            must(code == 0 or "timeout" in err, f"no timeout is told: {err[:300]}")
        finally:
            holder.kill()
            holder.wait()

    # --------------------------------------------------------------------------------------------------- ingest

    def big_schema(self, name):
        tables = self.args.tables
        sql, references = [], name in ("sqlite", "postgres", "mysql")
        key = "INTEGER NOT NULL"
        for n in range(tables):
            lines = [f"id {key}", f"part {key}", "label VARCHAR(20)", "parent_id INTEGER", "home_id INTEGER", "away_id INTEGER",
                     "far_id INTEGER", "far_part INTEGER", "PRIMARY KEY (id, part)", "UNIQUE (id)"]
            if n and name == "duckdb":
                lines += [f"FOREIGN KEY (home_id) REFERENCES t{n - 1} (id)", f"FOREIGN KEY (away_id) REFERENCES t{n - 1} (id)",
                          f"FOREIGN KEY (far_id, far_part) REFERENCES t{n // 2} (id, part)" if n // 2 != n else ""]
            sql.append(f"CREATE TABLE t{n} ({', '.join(line for line in lines if line)});")
        if references:
            for n in range(tables):
                after = (n + 1) % tables  # a circle through all tables
                keys = [("parent_id", f"t{n} (id)"), ("home_id", f"t{after} (id)"), ("away_id", f"t{after} (id)"),
                        ("far_id, far_part", f"t{(n + 2) % tables} (id, part)")]
                if name != "postgres":
                    inline = ", ".join(f"FOREIGN KEY ({local}) REFERENCES {target}" for local, target in keys)
                    sql[n] = sql[n].replace(");", f", {inline});")
                else:
                    sql += [f"ALTER TABLE t{n} ADD FOREIGN KEY ({local}) REFERENCES {target};" for local, target in keys]
        return sql

    def make_big_schema(self, driver):
        """In parts: a loaded machine is slow at each of them, which is no reason to give up."""
        statements, part = self.big_schema(driver.name), 50
        before = "SET foreign_key_checks = 0;\n" if driver.name == "mysql" else ""
        for first in range(0, len(statements), part):
            driver.database.script(before + "\n".join(statements[first : first + part]) + "\n")

    def ingest_twice(self, name):
        driver = Driver(name, self)
        self.make_big_schema(driver)
        project = self.project(driver)
        started = time.monotonic()
        code, out, err = project.run("ingest", "--datasource", "main", "--format", "json")
        first = time.monotonic() - started
        must(code == 0, f"exit {code}: {out[:300]} {err[:300]}")
        result = json.loads(out)
        must(len(result["additions"]) == self.args.tables and not result["errors"] and not result["to_delete"], out[:400])
        joins = sum(len(a["new_joins"]) for a in result["additions"])
        expected = 3 * self.args.tables if name != "duckdb" else None
        must(expected is None or joins == expected, f"{joins} joins, expected {expected}")
        # What a person writes stays.
        path = project.folder / "models/main/t3.yml"
        path.write_text("# ours\n" + path.read_text().replace("name: label", "name: label # shown"))
        before = project.models()
        code, out, err = project.run("ingest", "--datasource", "main", "--format", "json")
        must(code == 0 and json.loads(out)["additions"] == [], f"second run: exit {code}, {out[:300]} {err[:300]}")
        must(project.models() == before, "the second run changed bytes")
        driver.database.script("ALTER TABLE t3 ADD COLUMN fresh INTEGER;")
        code, out, err = project.run("ingest", "--datasource", "main", "--format", "json")
        must(code == 0 and [a["new_columns"] for a in json.loads(out)["additions"]] == [["fresh"]], out[:300] + err[:300])
        after = path.read_text()
        must(after.startswith("# ours\n") and "label # shown" in after, "comments are lost")
        changed = [k for k, v in project.models().items() if v != before[k]]
        must(changed == ["main/t3.yml"], f"changed: {changed}")
        print(f"         {name}: {self.args.tables} tables, {joins} joins, first ingest {first:.2f} s", flush=True)

    def two_ingests(self):
        driver = Driver("sqlite", self)
        driver.database.script("".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a TEXT, b REAL);\n" for n in range(60)))
        alone = self.project(driver)
        must(alone.run("ingest", "--datasource", "main")[0] == 0, "a single ingest fails")
        for _ in range(10):
            project = self.project(driver)
            both = [project.start("ingest", "--datasource", "main", "--format", "json") for _ in range(2)]
            results = [(p.communicate(timeout=60), p.returncode) for p in both]
            must(all(code == 0 for _, code in results), f"exits {[code for _, code in results]}: {results[0][0]} {results[1][0]}")
            must(project.models() == alone.models(), "the files differ from those of a single run")
            total = sum(len(json.loads(out)["additions"]) for (out, _), _ in results)
            must(total == 60, f"{total} models were created in both runs together, not 60")

    # ---------------------------------------------------------------------------------------------------- kills

    def kill_ingest(self):
        driver = Driver("sqlite", self)
        driver.database.script("".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a TEXT, b REAL);\n" for n in range(40)))
        whole = self.project(driver)
        started = time.monotonic()
        must(whole.run("ingest", "--datasource", "main")[0] == 0, "ingest fails")
        seconds = time.monotonic() - started
        wanted, chance, killed = whole.models(), random.Random(7), 0
        project = self.project(driver)
        for turn in range(self.args.kills // 2):
            shutil.rmtree(project.folder / "models", ignore_errors=True)
            killed += self.kill(project, chance.uniform(0, seconds * 1.1), "ingest", "--datasource", "main")
            for name, data in project.models().items():
                must(name.endswith(".yml") is False or data == wanted[name], f"turn {turn}: {name} is half")
            code, out, err = project.run("ingest", "--datasource", "main")
            must(code == 0, f"turn {turn}: the next run fails: {out[:200]} {err[:200]}")
            must(project.models() == wanted, f"turn {turn}: not completed, or something is left: {sorted(project.models())[-3:]}")
        print(f"         {killed} of {self.args.kills // 2} ingests were killed before their end", flush=True)

    def kill_apply(self):
        driver = Driver("sqlite", self)
        count = 30
        driver.database.script("".join(f"CREATE TABLE t{n} (id INTEGER, next_id INTEGER, a REAL);\n" for n in range(count)))
        files = {}
        for n in range(count):
            other = f"t{(n + 1) % count}"
            # Every model uses a column of the next one, which no longer shows once that one is edited.
            files[f"models/main/t{n}.yml"] = (
                f"# table {n}\nname: t{n}\nsql_table: t{n}\ncolumns:\n  - {{name: id, type: INT}}\n  - {{name: next_id, type: INT}}\n"
                f"  - {{name: gone, type: DOUBLE}}\n  - {{name: far, sql: {other}.gone + 1, type: DOUBLE}}\nmeasures:\n"
                f"  - {{name: s, formula: \"{other}.gone:sum\"}}\n  - {{name: k, formula: \"*:count\"}}\n"
                f"joins:\n  - {{target_model: {other}, join_pairs: [[next_id, id]]}}\n")
            files[f"models/main/q{n}.yml"] = f"name: q{n}\nsource_queries:\n  - {{source_model: t{n}, measures: [\"gone:sum\"]}}\n"
        whole, chance, killed = self.project(driver), random.Random(11), 0
        for name, text in files.items():
            whole.write(name, text)
        old = whole.models()
        started = time.monotonic()
        code, out, err = whole.run("validate-models", "--force-clean", "--yes")
        must(code == 0, f"apply fails: {out[-300:]} {err[:300]}")
        seconds, wanted = time.monotonic() - started, whole.models()
        must(len(wanted) == count, "the query-backed models are not gone")
        project = self.project(driver)
        for turn in range(self.args.kills // 2):
            shutil.rmtree(project.folder / "models", ignore_errors=True)
            shutil.rmtree(project.folder / ".kedge", ignore_errors=True)
            for name, text in files.items():
                project.write(name, text)
            killed += self.kill(project, chance.uniform(0, seconds * 1.1), "validate-models", "--force-clean", "--yes")
            for name, data in project.models().items():
                must(not name.endswith(".yml") or data in (old[name], wanted.get(name)), f"turn {turn}: {name} is half")
            for name, data in old.items():
                gone = name not in project.models()
                kept = any(p.read_bytes() == data for p in (project.folder / ".kedge").glob(f"trash/*/models/{name}")) if gone else True
                must(kept, f"turn {turn}: {name} is gone without a copy")
            code, out, err = project.run("validate-models", "--force-clean", "--yes")
            must(code == 0, f"turn {turn}: the next run fails: {out[-300:]} {err[:300]}")
            left = project.models()
            must(left == wanted, f"turn {turn}: not completed: {sorted(k for k in {**old, **left} if left.get(k) != wanted.get(k))[:5]}")
        print(f"         {killed} of {self.args.kills // 2} applies were killed before their end", flush=True)

    @staticmethod
    def kill(project, after, *args):
        process = project.start(*args)
        try:
            process.communicate(timeout=after)
            return 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return 1

    # ----------------------------------------------------------------------------------------------- expressions

    def deep_is_quiet(self, name):
        """Healthy expressions over undeclared columns: no dialect's words may be taken for missing columns."""
        driver = Driver(name, self)
        driver.database.script("CREATE TABLE t (id INTEGER, a DOUBLE PRECISION, b INTEGER, s VARCHAR(20), d DATE, ts TIMESTAMP NULL);"
                               "CREATE TABLE u (id INTEGER, x INTEGER);")
        common = ["CASE WHEN a > 1 THEN b ELSE NULL END", "COALESCE(s, 'none')", "CAST(a AS DECIMAL(10, 2))", "a BETWEEN 1 AND b",
                  "s LIKE '%x%' OR s IS NULL", "b IN (1, 2, 3)", "(SELECT MAX(x) FROM u)", "(SELECT COUNT(*) FROM u WHERE u.id = t.b)",
                  "EXISTS (SELECT 1 FROM u v WHERE v.x = t.b)", "SUM(a) OVER (PARTITION BY s ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
                  "ROW_NUMBER() OVER (ORDER BY a DESC)", "CURRENT_DATE", "-a + b * 2.5e0", "NOT (a > b)", "NULLIF(a, 0)",
                  "(WITH w AS (SELECT x AS k FROM u) SELECT MAX(k) FROM w)", "a /* gone */ + 1 -- gone", "UPPER(t.s)"]
        own = {
            "sqlite": ["rowid + 1", "strftime('%Y', d)", "date(ts, '+1 day')", "s || 'x'", "\"a\" + [b]", "json_extract(s, '$.x')",
                       "s COLLATE NOCASE", "s GLOB 'a*'", "iif(a > 1, 1, 0)"],
            "duckdb": ["s || 'x'", "date_trunc('month', ts)", "EXTRACT(year FROM d)", "d + INTERVAL 1 DAY", "a::INTEGER", "list_value(a, b)",
                       "list_transform([a, b], q -> q + 1)", "{'k': a}", "s SIMILAR TO 'a.*'", "strftime(ts, '%Y')", "a // 2",
                       "struct_pack(k := a).k", "CAST(ts AS DATE)", "[a, b][1]", "s[1:2]", "TRY_CAST(s AS INTEGER)"],
            "postgres": ["s || 'x'", "date_trunc('month', ts)", "EXTRACT(year FROM d)", "d + INTERVAL '1 day'", "a::integer", "ctid::text",
                         "ts AT TIME ZONE 'UTC'", "ARRAY[a, b]", "(ARRAY[b])[1]", "s ~ '^x'", "s COLLATE \"C\"", "E'it\\'s' || s", "$q$ gone $q$ || s",
                         "position('x' in s)", "substring(s from 1 for 2)", "trim(both ' ' from s)", "overlay(s placing 'x' from 1 for 2)",
                         "percentile_cont(0.5) WITHIN GROUP (ORDER BY a)", "COUNT(*) FILTER (WHERE b > 1)", "a IS DISTINCT FROM b",
                         "make_interval(days => b)", "CAST(s AS varchar(3))", "to_jsonb(s) ->> 'k'", "b = ANY (ARRAY[1, 2])"],
            "mysql": ["CONCAT(s, 'x')", "DATE_ADD(d, INTERVAL 1 DAY)", "EXTRACT(YEAR FROM d)", "`a` + b", "IF(a > 1, 1, 0)", "s REGEXP '^x'",
                      "TIMESTAMPDIFF(DAY, d, ts)", "GROUP_CONCAT(s ORDER BY a SEPARATOR ',')", "CONVERT(s USING utf8mb4)", "a DIV 2",
                      "CAST(a AS SIGNED)", "s COLLATE utf8mb4_bin", "DATE_FORMAT(ts, '%Y')", "TRIM(LEADING 'x' FROM s)"],
        }[name]
        model = {"name": "t", "sql_table": "t", "columns": [{"name": "id", "type": "INT"}]}
        for number, expression in enumerate(common + own):
            model["columns"].append({"name": f"e{number}", "sql": expression})
        project = self.project(driver)
        project.write("models/main/t.yml", dump_yaml(model))
        code, out, err = project.run("validate-models", "--deep", "--format", "json")
        unread = [line for line in err.splitlines() if "sql_unparsed" in line]
        must(not unread, f"{len(unread)} texts could not be parsed: {unread[:3]}")
        must(code == 0 and json.loads(out) == [], f"exit {code}: {[(r['target'], r['reason']) for e in json.loads(out) for r in e['reasons']]}"
             f" {err[:300]}")
        for column in ("a", "b", "s", "d", "ts"):
            driver.database.script(f"ALTER TABLE t DROP COLUMN {column};")
        code, out, err = project.run("validate-models", "--deep", "--format", "json")
        dropped = json.loads(out)[0]["remove"]["columns"]
        kept = [model["columns"][n + 1]["sql"] for n in range(len(common + own)) if f"e{n}" not in dropped]
        harmless = {"(SELECT MAX(x) FROM u)", "CURRENT_DATE", "(WITH w AS (SELECT x AS k FROM u) SELECT MAX(k) FROM w)", "rowid + 1", "ctid::text"}
        # A name inside a subquery is not looked at unless the model's name stands before it.
        inner = {"(SELECT COUNT(*) FROM u WHERE u.id = t.b)", "EXISTS (SELECT 1 FROM u v WHERE v.x = t.b)"}
        must(set(kept) <= harmless | inner, f"still there: {sorted(set(kept) - harmless - inner)}")

    def texts(self):
        driver = Driver("sqlite", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        code, out, err = project.run("validate-models")
        must((code, out) == (0, "No drift detected.\n"), f"{code} {out!r} {err!r}")
        driver.database.script("ALTER TABLE crates RENAME COLUMN kg TO weight_kg; DROP TABLE depots;")
        code, out, err = project.run("validate-models")
        wanted = """EDIT MODEL: crates (datasource: main)
  drop columns: kg, site
  drop measures: load
  drop joins: depots
    - column:kg: Live column 'kg' not found
    - column:site: Refers into dropped model 'depots'
    - measure:load: References dropped column 'kg'
    - join:depots: Target model is dropped: 'depots'
    hint: crates.kg may have been renamed to 'weight_kg'
DELETE MODEL: depots (datasource: main)
    - model:depots: Live table 'depots' not found in data source 'main'
DELETE MODEL: heavy (datasource: main)
    - model:heavy: The model's SQL does not run: no such column: kg
"""
        must((code, out) == (0, wanted), f"exit {code}:\n{out}")
        must(project.run("validate-models", "--check")[0] == 1, "--check does not exit 1")
        code, out, err = project.run("validate-models", "--explain", "text")
        must("crates column:kg [column_missing]" in out and "\n  -> crates measure:load [references_dropped_column]" in out, out)
        must(project.run("validate-models", "--explain", "mermaid")[1].startswith("graph TD\n  n0["), "no mermaid")
        must(project.run("validate-models", "--explain", "dot")[1].startswith("digraph cascade {"), "no dot")
        items = json.loads(project.run("validate-models", "--explain", "json")[1])
        must([i["cause"] for i in items if i["target"] == "measure:load"] == [0], str(items))
        project.write("models/main/broken.yml", "name: broken\nsql_tabel: x\n")
        code, out, err = project.run("models", "list")
        must(code == 2 and "\nmain         crates " in out and "models/main/broken.yml:2:1: error[unknown_key]" in err, f"exit {code} {out} {err}")
        code, out, err = project.run("validate-models", "--datasource", "mian", "--format", "json")
        must(code == 2 and json.loads(out)["errors"][0]["code"] == "unknown_data_source", out)

    def renames(self):
        driver = Driver("sqlite", self)
        driver.database.script("CREATE TABLE crates (crate_id INTEGER, kg REAL, city TEXT, depot_ref INTEGER);")
        project = self.project(driver)
        text = ("name: crates\nsql_table: crates\ncolumns:\n  - {name: crate_id, type: INT}\n  - {name: kg, type: DOUBLE} # net\n"
                "  - {name: city, type: TEXT, label: City}\nmeasures:\n  - {name: load, formula: \"kg:sum\"}\n")
        project.write("models/main/crates.yml", text)
        driver.database.script("ALTER TABLE crates RENAME COLUMN kg TO weight_kg; ALTER TABLE crates RENAME COLUMN city TO town;")
        code, out, err = project.run("validate-models", "--suggest", "--format", "json")
        found = {(r["column"], r["candidate"]) for r in json.loads(out)["renames"]}
        must(code == 0 and ("kg", "weight_kg") in found, f"{code} {out} {err}")
        before = project.models()
        must(project.run("validate-models", "--apply-renames")[0] == 2 and project.models() == before, "nobody was asked")
        must(project.run("validate-models", "--sample")[0] == 2, "--sample alone is refused")
        copy = self.project(driver)
        copy.write("models/main/crates.yml", text)
        must(copy.run("validate-models", "--force-clean", "--yes")[0] == 0, "--force-clean fails")
        must("weight_kg" not in (copy.folder / "models/main/crates.yml").read_text(), "--force-clean alone renames")
        code, out, err = project.run("validate-models", "--apply-renames", "--yes", "--rename", "crates.kg=weight_kg", "--format", "json")
        must(code == 0 and len(json.loads(out)["renamed"]) == 1, f"{code} {out} {err}")
        after = (project.folder / "models/main/crates.yml").read_text()
        must("sql: weight_kg" in after and "# net" in after and "kg:sum" in after, after)
        code, out, err = project.run("validate-models", "--format", "json")
        must([e["remove"]["columns"] for e in json.loads(out)] == [["city"]], out)

    def renames_of_one_live_column(self):
        """Two columns over one renamed column follow together; wishes that cannot be carried out are refused."""
        driver = Driver("sqlite", self)
        driver.database.script("CREATE TABLE t (id INTEGER, weight_kilo DOUBLE, x TEXT);")
        project = self.project(driver)
        project.write("models/main/t.yml", "name: t\nsql_table: t\ncolumns:\n  - {name: id, type: INT}\n  - {name: weight_kg, type: DOUBLE}\n"
                      "  - {name: w3, sql: weight_kg, type: DOUBLE, filter: \"id > 1\"}\nmeasures:\n  - {name: m, formula: \"w3:sum\"}\n")
        before = project.models()
        for wish in ("junk", "t.nope=zzz", "zz.weight_kg=b", "t.weight_kg=nope"):
            code, out, err = project.run("validate-models", "--apply-renames", "--yes", "--rename", wish)
            must(code == 2 and wish in err and project.models() == before, f"{wish}: {code} {out} {err}")
        for arguments in (("--rename", "t.w3=weight_kilo"), ("--force-clean",)):
            copy = self.project(driver)
            copy.write("models/main/t.yml", before["main/t.yml"])
            code, out, err = copy.run("validate-models", "--apply-renames", "--yes", *arguments)
            after = (copy.folder / "models/main/t.yml").read_text()
            must(code == 0 and after.count("sql: weight_kilo") == 2 and "w3:sum" in after, f"{arguments}: {code} {out} {err} {after}")
            must(copy.run("validate-models", "--format", "json")[:2] == (0, "[]\n"), f"{arguments}: something is left")

    def sampled_renames(self, name):
        """Of two likely columns the one whose values stand on the other side of the join is the rename."""
        driver = Driver(name, self)
        rows = "".join(f"INSERT INTO depots VALUES ({n}, 'c{n}');INSERT INTO crates VALUES ({n}, {n + 1000}, {n});" for n in range(1, 31))
        driver.database.script("CREATE TABLE depots (id INTEGER, city VARCHAR(9)); CREATE TABLE crates (crate_id INTEGER, depot_nr INTEGER,"
                               " depot_no INTEGER);" + rows)
        project = self.project(driver)
        project.write("models/main/depots.yml", "name: depots\nsql_table: depots\ncolumns:\n  - {name: id, type: INT}\n  - {name: city}\n")
        project.write("models/main/crates.yml", "name: crates\nsql_table: crates\ncolumns:\n  - {name: crate_id, type: INT}\n  - {name: depot_id, type: INT}\n"
                      "joins:\n  - {target_model: depots, join_pairs: [[depot_id, id]]}\n")
        code, out, err = project.run("validate-models", "--suggest", "--format", "json")
        must(code == 0 and "values of" not in out, f"values were read without --sample: {code} {out[:600]} {err[:300]}")
        code, out, err = project.run("validate-models", "--suggest", "--sample", "--format", "json")
        best = json.loads(out)["renames"][0]
        must(code == 0 and best["candidate"] == "depot_no" and "values of depots.id (30 of 30)" in best["reasons"], f"{code} {out[:800]} {err[:300]}")
        must(best["edit"] == {"column": "depot_id", "sql": "depot_no"}, str(best))
        code, out, err = project.run("validate-models", "--apply-renames", "--sample", "--yes", "--format", "json")
        must(code == 0 and "sql: depot_no" in (project.folder / "models/main/crates.yml").read_text(), f"{code} {out[:600]} {err[:300]}")
        must(project.run("validate-models", "--format", "json")[:2] == (0, "[]\n"), "something is left")

    # ---------------------------------------------------------------------------------------------------- asking

    def asking(self):
        driver = Driver("sqlite", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        driver.database.script("ALTER TABLE crates DROP COLUMN kg;")
        before = project.models()
        code, out, err = project.run("validate-models", "--force-clean")
        must(code == 2 and "confirmation_required" in err and project.models() == before, f"no terminal: exit {code} {err[:300]}")
        code, text = self.in_terminal(project, "n\n")
        must(code == 0 and "Apply 2 delete(s)? [y/N]" in text and project.models() == before, f"answered no: exit {code} {text[-300:]}")
        code, text = self.in_terminal(project, "y\n")
        must(code == 0 and project.models() != before, f"answered yes: exit {code} {text[-300:]}")
        kept = project.models()["main/crates.yml"].decode()
        must(kept.startswith("# weighed on arrival\n") and "kg" not in kept, kept)
        must("heavy" not in str(project.models().keys()), "heavy is still there")

    @staticmethod
    def in_terminal(project, answer):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(project.kedge, [str(project.kedge), "-C", str(project.folder), "validate-models", "--force-clean"],
                      project.environment())
        os.write(terminal, answer.encode())
        text = b""
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode()

    def surgical(self):
        driver = Driver("sqlite", self)
        driver.database.script("CREATE TABLE a (id INTEGER, kg REAL, city TEXT);")
        project = self.project(driver)
        text = ("\ufeff# top\r\nname: a\r\nsql_table: a # the table\r\n\r\nmeta: &m {owner: 'ops', tags: [x,  y]}\r\ncolumns:\r\n"
                "  # key\r\n  - name:   id\r\n    type: INT\r\n  - name: kg\r\n    type: DOUBLE  # net\r\n    meta: *m\r\n"
                "  - {name: city, type: \"TEXT\"}\r\n  - {name: lb, sql: 'kg * 2.2'}\r\nfilters: ['kg > 0',   \"city <> 'x'\"] # two\r\n"
                "default_time_dimension: city\r\n# end\r\n")
        project.write("models/main/a.yml", text)
        driver.database.script("ALTER TABLE a DROP COLUMN kg;")
        code, out, err = project.run("validate-models", "--force-clean", "--yes", "--format", "json")
        must(code == 0, f"exit {code}: {out[:400]} {err[:300]}")
        wanted = text.replace("  - name: kg\r\n    type: DOUBLE  # net\r\n    meta: *m\r\n", "")
        wanted = wanted.replace("  - {name: lb, sql: 'kg * 2.2'}\r\n", "")
        got = (project.folder / "models/main/a.yml").read_bytes().decode()
        must(got.replace("filters: [\"city", "filters: ['kg > 0',   \"city") == wanted, f"more than the removed items changed:\n{got}")

    def all(self):
        for name in DRIVERS:
            self.check(f"never-a-delete down {name}", lambda name=name: self.down(name))
        for name in ("postgres", "mysql"):
            self.check(f"never-a-delete forbidden table {name}", lambda name=name: self.forbidden_table(name))
            self.check(f"never-a-delete locked table {name}", lambda name=name: self.locked_table(name))
        self.check("never-a-delete forbidden column mysql", self.forbidden_column)
        for name in DRIVERS:
            self.check(f"ingest twice {name}", lambda name=name: self.ingest_twice(name))
        for name in DRIVERS:
            self.check(f"deep check is quiet {name}", lambda name=name: self.deep_is_quiet(name))
        self.check("text forms", self.texts)
        self.check("renames", self.renames)
        self.check("renames of one live column", self.renames_of_one_live_column)
        for name in DRIVERS:
            self.check(f"renames by sampled values {name}", lambda name=name: self.sampled_renames(name))
        self.check("two ingests at once", self.two_ingests)
        self.check("asking", self.asking)
        self.check("surgical edit", self.surgical)
        self.check("kill ingest", self.kill_ingest)
        self.check("kill apply", self.kill_apply)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--only", help="a part of the name of a check")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tables", type=int, default=500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kedge-models-") as folder:
        os.chmod(folder, 0o755)
        checks = Checks(args, Path(folder))
        try:
            checks.all()
        finally:
            checks.databases.stop()
    print(", ".join(f"{count} {kind}" for kind, count in checks.results.items()))
    return 1 if checks.results["failed"] or not checks.results["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
