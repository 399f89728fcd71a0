#!/usr/bin/env python3
"""Query results against SQL written by hand, on sqlite, duckdb, postgres and mysql.

Each check asks `kedge query` and runs the hand-written SQL with the engine's own client; both give
the same rows. The last line is `N passed, N failed`."""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases, SqlError  # noqa: E402
import attacks  # noqa: E402
from checks import CHECKS, DATA, DRIFT, DRIFT_SQL, ERRORS, MODELS, words_of  # noqa: E402

ENGINES = ["sqlite", "duckdb", "postgres", "mysql"]


def plain(value):
    """One value as text that does not depend on the client: numbers to six decimals."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    try:
        return f"{float(text):.6f}"
    except ValueError:
        return text.replace("T", " ").removesuffix(" 00:00:00")


def rows_of(rows, ordered):
    rows = [[plain(v) for v in row] for row in rows]
    return rows if ordered else sorted(rows, key=lambda r: [str(v) for v in r])


class Project:
    def __init__(self, kedge, folder, engine, dbs):
        self.kedge, self.folder, self.engine = kedge, folder, engine
        folder.mkdir(parents=True)
        self.db = dbs.open(engine, folder / "main.db", folder)
        self.env = dict(os.environ)
        if engine in ("postgres", "mysql"):
            connection = self.db.connection()
            self.env.update({k: str(v) for k, v in self.db.variables().items()})
        else:
            connection = {"connector": engine, "path": "main.db"}
        (folder / "project.yml").write_text('name: queries\nversion: "1.0.0"\n')
        (folder / "connections.yml").write_text(json.dumps({"main": connection}))
        for name, model in {**MODELS(engine), **attacks.MODELS(engine)}.items():
            path = folder / "models" / "main" / f"{name}.yml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"name": name, **model}))
        self.db.script(DATA(engine) + attacks.DATA(engine))

    def ask(self, query, *more):
        text = query if isinstance(query, str) else json.dumps(query)
        done = subprocess.run([self.kedge, "-C", str(self.folder), "query", text, "--format", "json", *more],
                              capture_output=True, text=True, timeout=60, env=self.env, check=False)
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            return done.returncode, {"error": "no JSON", "message": done.stdout + done.stderr}


def check(project, name, query, sql, more):
    """The problem, or None."""
    words = words_of(project.engine)
    text = sql(words) if callable(sql) else sql
    code, got = project.ask(query, *more)
    if code != 0 or "error" in got:
        return f"exit {code}: {got.get('error')}: {got.get('message')}"
    try:
        wanted = project.db.query(text)[1]
    except SqlError as error:
        return f"the hand-written SQL fails: {error}"
    ordered = isinstance(query, dict) and "order" in query
    mine = rows_of([[record[k] for k in got["columns"]] for record in got["data"]], ordered)
    theirs = rows_of(wanted, ordered)
    if mine != theirs:
        return f"got {mine}\n    want {theirs}\n    {got['sql']}"
    return None


def run_engine(project, only):
    passed, failed = 0, 0
    for name, query, sql, *rest in CHECKS + attacks.CHECKS:
        engines = rest[0] if rest else ENGINES
        more = rest[1] if len(rest) > 1 else []
        if project.engine not in engines or (only and only not in name):
            continue
        problem = check(project, name, query(words_of(project.engine)) if callable(query) else query, sql, more)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem:
            print(f"FAIL {name} [{project.engine}]: {problem}")
    for name, query, wanted, *rest in ERRORS + attacks.ERRORS:
        if (rest and project.engine not in rest[0]) or (only and only not in name):
            continue
        code, got = project.ask(query)
        fine = code == 2 and got.get("error") == wanted
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"FAIL {name} [{project.engine}]: expected {wanted}, got {code} {json.dumps(got)[:600]}")
    p, f = run_drift(project, only)
    if not only:
        for more in (run_zones(project), run_refusals(project)):
            p, f = p + more[0], f + more[1]
    return passed + p, failed + f


def run_drift(project, only):
    """Only drift of models that the query touches is drift of the query."""
    passed, failed = 0, 0
    project.db.script(DRIFT_SQL)
    for name, query, error, models, *rest in DRIFT + attacks.DATA_ERRORS:
        if (rest and project.engine not in rest[0]) or (only and only not in name):
            continue
        code, got = project.ask(query, *(rest[1] if len(rest) > 1 else []))
        exits = {None: 0, "schema_drift": 1}.get(error, 2)
        fine = got.get("error") == error and code == exits and got.get("models") == models
        if error == "schema_drift":
            fine = fine and all(e["model_name"] in models for e in got["to_delete"]) and bool(got["original"])
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"FAIL drift: {name} [{project.engine}]: expected {error} {models}, got {code} {json.dumps(got)[:600]}")
    return passed, failed


def run_zones(project):
    """Buckets are cut in UTC whatever zone the database is set to."""
    if project.engine != "postgres":
        return 0, 0
    project.db.script(f"ALTER DATABASE {project.db.name} SET timezone = 'Asia/Kolkata';")
    model = {"name": "moments", "data_source": "main", "sql": "SELECT TIMESTAMPTZ '2024-01-31 23:30:00+00' AS t", "columns": [{"name": "t", "type": "TIMESTAMP"}]}
    code, got = project.ask({"source_model": model, "time_dimensions": [{"dimension": "t", "granularity": "day"}], "measures": ["*:count"]})
    project.db.script(f"ALTER DATABASE {project.db.name} RESET timezone;")
    wanted = [{"moments.t": "2024-01-31", "moments._count": 1}]
    if code == 0 and got["data"] == wanted:
        return 1, 0
    print(f"FAIL zone [{project.engine}]: expected {wanted}, got {code} {json.dumps(got)[:600]}")
    return 0, 1


def run_refusals(project):
    """What is no fault of the schema is told as it is, though a touched model has drifted."""
    query = {"source_model": "shipments", "dimensions": ["depots.city"], "measures": ["*:count"]}
    passed, failed = 0, 0
    file = project.folder / "connections.yml"
    before, variables = file.read_text(), dict(project.env)
    for name, wanted, settings, changes, after in refusals(project):
        file.write_text(json.dumps({"main": settings}))
        project.env.update(changes)
        try:
            code, got = project.ask(query)
        finally:
            after()
        fine = code == 2 and got.get("error") == wanted and "to_delete" not in got
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"FAIL refusal: {name} [{project.engine}]: expected {wanted}, got {code} {json.dumps(got)[:600]}")
    file.write_text(before)
    project.env = variables
    return passed, failed


def refusals(project):
    """(name, code, settings, variables, what ends it), each set up when it is its turn."""
    def nothing():
        return None

    if project.engine == "sqlite":
        yield "a missing file", "connection_failed", {"connector": "sqlite", "path": "none.db"}, {}, nothing
        holder = sqlite3.connect(project.folder / "main.db")
        holder.execute("BEGIN EXCLUSIVE")
        yield "a locked file", "query_failed", {"connector": "sqlite", "path": "main.db"}, {}, holder.close
    elif project.engine == "duckdb":
        yield "a missing file", "connection_failed", {"connector": "duckdb", "path": "none.db"}, {}, nothing
        (project.folder / "garbage.db").write_bytes(b"no database " * 999)
        yield "no database file", "connection_failed", {"connector": "duckdb", "path": "garbage.db"}, {}, nothing
    else:
        settings = project.db.connection()
        yield "a closed port", "connection_failed", {**settings, "host": "127.0.0.1", "port": 1}, {}, nothing
        yield "no such user", "connection_failed", {**settings, "user": "nobody_"}, {}, nothing
        user = f"reader_{os.getpid()}"
        if project.engine == "postgres":
            project.db.script(f"CREATE ROLE {user} LOGIN; GRANT SELECT ON depots TO {user};")
            reader = {**settings, "user": user}
        else:
            name = project.db.name
            project.db.server._client(name, "".join(f"CREATE USER '{user}'@'{host}' IDENTIFIED BY 'pw'; GRANT SELECT ON {name}.depots TO '{user}'@'{host}';"
                                                    for host in ("%", "localhost")), user="root", password=None)
            reader = {**settings, "user": user, "password": "pw"}
        yield "no right on a table", "permission_denied", reader, {}, nothing
        server = project.db.server
        if project.engine == "postgres":
            command = [server.psql, "-X", "-q", "-h", server.host, "-p", str(server.port), "-U", settings["user"], "-d", project.db.name, "-c",
                       "BEGIN; LOCK TABLE shipments IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(30);"]
            holder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
            time.sleep(0.7)

            def end():
                holder.kill()
                holder.wait()

            yield "a lock that is waited for in vain", "timeout", {**settings, "command_timeout_seconds": 1}, {}, end


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--only", default="")
    parser.add_argument("--duckdb-lib")
    args = parser.parse_args()
    dbs = Databases(args.duckdb_lib and str(Path(args.duckdb_lib).resolve()))
    passed, failed = 0, 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for engine in args.engines.split(","):
                project = Project(str(Path(args.kedge).resolve()), Path(folder) / engine, engine, dbs)
                try:
                    p, f = run_engine(project, args.only)
                    passed, failed = passed + p, failed + f
                finally:
                    project.db.close()
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
