#!/usr/bin/env python3
"""A database that is locked, half there or reached through another program never yields a delete: what robustness.py does for the
four native drivers, for ODBC (its SQLite and PostgreSQL drivers) and D1, and locked files.

unreachable.py --kedge PATH [--duckdb-lib LIB] [--only WORD]
"""
import argparse
import fcntl
import json
import os
import shlex
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "cases" / "runner"))
from robustness import TWO_TABLES, Checks, Driver, must  # noqa: E402

STUB = HERE.parent / "cases" / "runner" / "kt" / "wrangler_stub.py"
WRANGLER = 'name = "cases"\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "casedb"\ndatabase_id = "00000000-0000-0000-0000-000000000000"\n'


class Unreachable(Checks):
    def healthy(self, project):
        code, out, err = project.run("validate-models", "--format", "json")
        must(code == 0 and json.loads(out) == [], f"the healthy project is not clean: {code} {out[:300]} {err[:300]}")

    def drifts(self, project, driver):
        """The same connection does see real drift."""
        driver.database.script("ALTER TABLE depots DROP COLUMN city;")
        code, out, err = project.run("validate-models", "--format", "json")
        names = [e["model_name"] for e in json.loads(out)]
        must(code == 0 and names == ["crates", "depots"], f"drift is not seen: {code} {names} {err[:300]}")

    # --------------------------------------------------------------------------------------------- files that are locked

    def locked_sqlite(self):
        driver = Driver("sqlite", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        holder = sqlite3.connect(driver.path)
        holder.execute("BEGIN EXCLUSIVE")
        try:
            self.nothing_deleted(project, None, "a locked file")
        finally:
            holder.rollback()
            holder.close()
        self.healthy(project)

    def locked_duckdb(self):
        driver = Driver("duckdb", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        self.healthy(project)
        with open(driver.path, "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)  # as a writing DuckDB has it
            self.nothing_deleted(project, None, "a locked file")
        self.healthy(project)

    # ------------------------------------------------------------------------------------------------------------- odbc

    def odbc_sqlite(self):
        driver = Driver("sqlite", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        settings = {"connector": "odbc", "connection_string": f"Driver=SQLite3;Database={driver.path}"}
        project.connect(settings)
        self.healthy(project)
        folder = driver.path.parent
        (folder / "empty.db").write_bytes(b"")
        (folder / "garbage.db").write_bytes(b"this is not a database file " * 200)
        for why, file in (("a missing file", "x.db"), ("a wrong path", "none/x.db"), ("an empty file", "empty.db"), ("no database file", "garbage.db")):
            project.connect({**settings, "connection_string": f"Driver=SQLite3;Database={folder / file}"})
            self.nothing_deleted(project, None, f"{why} behind odbc")
        project.connect({**settings, "connection_string": f"Driver=No Such Driver;Database={driver.path}"})
        self.nothing_deleted(project, None, "a driver that is not there")
        project.connect({"connector": "odbc", "dsn": "no_such_source"})
        self.nothing_deleted(project, None, "a data source that is not there")
        holder = sqlite3.connect(driver.path)
        holder.execute("BEGIN EXCLUSIVE")
        try:
            project.connect({**settings, "connection_string": f"Driver=SQLite3;Timeout=500;Database={driver.path}"})
            self.nothing_deleted(project, None, "a locked file behind odbc")
        finally:
            holder.rollback()
            holder.close()
        project.connect(settings)
        self.drifts(project, driver)

    def odbc_postgres(self):
        driver = Driver("postgres", self)
        driver.database.script(TWO_TABLES)
        server = driver.database.server
        project = self.harbour(driver)

        def connect(user=driver.settings["user"], host=server.host, port=server.port, database=driver.database.name):
            project.connect({"connector": "odbc", 
                             "connection_string": f"Driver=PostgreSQL Unicode;Servername={host};Port={port};Database={database};UID={user};BoolsAsChar=0"})

        connect()
        self.healthy(project)
        connect(host="127.0.0.1", port=1)
        self.nothing_deleted(project, None, "a closed port behind odbc")
        connect(database="nowhere_")
        self.nothing_deleted(project, None, "no such database behind odbc")
        connect(user="nobody_")
        self.nothing_deleted(project, None, "no such user behind odbc")
        reader = f"odbc_reader{self.number()}_{os.getpid()}"
        driver.database.script(f"CREATE ROLE {reader} LOGIN; GRANT SELECT ON depots TO {reader};")
        connect(user=reader)
        self.nothing_deleted(project, {"crates", "heavy"}, "no right on one table behind odbc")
        connect()
        self.drifts(project, driver)

    # -------------------------------------------------------------------------------------------------- the search path

    def reader(self, driver, rights, path):
        """A user of its own with these rights and this search path."""
        role = f"path_reader{self.number()}_{os.getpid()}"
        driver.database.script(f"CREATE ROLE {role} LOGIN;" + rights.replace("READER", role))
        driver.database.script(f"ALTER ROLE {role} SET search_path = {path};")
        return role

    def hidden(self, driver, project, role, connect, show):
        """The server passes over a schema that may not be used, and then calls what stands in it missing."""
        project.write("models/main/most.yml", "name: most\nsql_table: other.most\ncolumns:\n  - {name: id, type: INT}\n"
                      "  - {name: top, sql: (SELECT MAX(kg) FROM crates), type: DOUBLE}\n  - {name: next, sql: id + 1, type: INT}\n")
        connect(role)
        before = project.models()
        self.nothing_deleted(project, None, "a schema of the search path that may not be used")
        for more in ([], ["--deep"]):
            code, out, err = project.run("validate-models", "--format", "json", *more)
            told = {json.loads(line)["code"] for line in err.splitlines() if line.startswith("{")}
            must(code == 2 and json.loads(out) == [] and told == {"permission_denied"}, f"{more}: exit {code}, {told}: {out[:300]} {err[:600]}")
        code, out, err = project.run("query", json.dumps({"source_model": "depots", "measures": ["*:count"]}), "--format", "json")
        must(code == 2 and json.loads(out)["error"] == "query_failed", f"a query: exit {code}: {out[:300]}")
        code, out, err = project.run("ingest", "--datasource", "main")
        must(code != 0 and project.models().items() >= before.items(), f"ingest: exit {code}: {out[:300]} {err[:300]}")
        # What no schema of the path has is gone, whoever looks.
        project.write("models/main/gone.yml", "name: gone\nsql_table: gone\ncolumns:\n  - {name: id, type: INT}\n")
        code, out, err = project.run("validate-models", "--format", "json")
        must(code == 2 and [e["model_name"] for e in json.loads(out)] == ["gone"], f"a lost table: exit {code}: {out[:300]}")
        (project.folder / "models/main/gone.yml").unlink()
        driver.database.script(show)
        self.healthy(project)

    OTHER = "CREATE SCHEMA other; CREATE TABLE other.most (id INTEGER); GRANT USAGE ON SCHEMA other TO READER; GRANT SELECT ON other.most TO READER;"

    def hidden_schema(self, connector):
        driver = Driver("postgres", self)
        driver.database.script("CREATE SCHEMA app; SET search_path = app;" + TWO_TABLES)
        project = self.harbour(driver)
        role = self.reader(driver, self.OTHER + "GRANT SELECT ON ALL TABLES IN SCHEMA app TO READER;", "app, other")
        server = driver.database.server

        def connect(user):
            project.connect(driver.changed(user=user) if connector == "postgres" else {"connector": "odbc", "connection_string":
                            f"Driver=PostgreSQL Unicode;Servername={server.host};Port={server.port};Database={driver.database.name};UID={user};BoolsAsChar=0"})

        self.hidden(driver, project, role, connect, f"GRANT USAGE ON SCHEMA app TO {role};")

    def hidden_public(self):
        driver = Driver("postgres", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        role = self.reader(driver, self.OTHER + "GRANT SELECT ON ALL TABLES IN SCHEMA public TO READER; REVOKE ALL ON SCHEMA public FROM PUBLIC;",
                           '"$user", public')
        self.hidden(driver, project, role, lambda user: project.connect(driver.changed(user=user)), f"GRANT USAGE ON SCHEMA public TO {role};")

    def outside_the_path(self):
        """An unqualified name is one of the search path: a table elsewhere is no table of the model."""
        driver = Driver("postgres", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        role = self.reader(driver, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO READER;", "nowhere")
        project.connect(driver.changed(user=role))
        code, out, err = project.run("validate-models", "--format", "json")
        found = [(e["model_name"], e["reasons"][0]["code"]) for e in json.loads(out)]
        must(code == 0 and found == [("crates", "table_missing"), ("depots", "table_missing"), ("heavy", "sql_broken")], f"exit {code}: {found} {err[:300]}")
        code, out, err = project.run("query", json.dumps({"source_model": "depots", "measures": ["*:count"]}), "--format", "json")
        must(code == 1 and json.loads(out)["error"] == "schema_drift", f"a query: exit {code}: {out[:300]}")
        # The first schema of the path that has the name is meant, the default one or not.
        driver.database.script(f"CREATE SCHEMA front; CREATE SCHEMA back; CREATE TABLE front.other (id INTEGER); CREATE TABLE back.depots (id INTEGER, town TEXT);"
                               f"GRANT USAGE ON SCHEMA front, back TO {role}; GRANT SELECT ON front.other, back.depots TO {role};")
        driver.database.script(f"ALTER ROLE {role} SET search_path = front, public, back;")
        self.healthy(project)
        driver.database.script(f"ALTER ROLE {role} SET search_path = front, back, public;")
        code, out, err = project.run("validate-models", "--format", "json")
        found = [(e["model_name"], [r["target"] for r in e["reasons"]]) for e in json.loads(out)]
        must(code == 0 and found == [("crates", ["column:site"]), ("depots", ["column:city"])], f"exit {code}: {found} {err[:300]}")

    def letter_case(self):
        """Whether names of tables fold is the server's choice; columns fold always."""
        driver = Driver("mysql", self)
        driver.database.script("CREATE TABLE Boxes (Box_Id INTEGER, kg DOUBLE); CREATE TABLE lids (id INTEGER); CREATE TABLE Lids (id INTEGER, kg DOUBLE);")
        folds = driver.database.query("SELECT @@lower_case_table_names")[1][0][0]
        must(str(folds) == "0", f"the server has lower_case_table_names={folds}")
        project = self.project(driver)

        def over(boxes, lids):
            project.write("models/main/boxes.yml", f"name: boxes\nsql_table: {boxes}\ncolumns:\n  - {{name: box_id, type: INT}}\n  - {{name: kg, type: DOUBLE}}\n")
            project.write("models/main/lids.yml", f"name: lids\nsql_table: {lids}\ncolumns:\n  - {{name: ID, type: INT}}\n  - {{name: kg, type: DOUBLE}}\n")

        over("Boxes", "Lids")
        self.healthy(project)
        over("boxes", "lids")
        code, out, err = project.run("validate-models", "--format", "json")
        found = [(e["model_name"], [r["code"] for r in e["reasons"]]) for e in json.loads(out)]
        must(code == 0 and found == [("boxes", ["table_missing"]), ("lids", ["column_missing"])], f"exit {code}: {found} {err[:300]}")
        code, out, err = project.run("query", json.dumps({"source_model": "boxes", "measures": ["kg:sum"]}), "--format", "json")
        must(code == 1 and json.loads(out)["error"] == "schema_drift", f"a query: exit {code}: {out[:300]}")
        # Nor does an ingest take the model over `boxes` for one over `Boxes`.
        other = self.project(driver)
        other.write("models/main/kegs.yml", "name: kegs\nsql_table: boxes\n")
        code, out, err = other.run("ingest", "--datasource", "main", "--include-tables", "Boxes", "--format", "json")
        made = [(a["model_name"], a["created"], a["new_columns"]) for a in json.loads(out)["additions"]]
        must(code == 0 and made == [("Boxes", True, ["Box_Id", "kg"])], f"ingest: exit {code}: {out[:300]} {err[:300]}")

    # --------------------------------------------------------------------------------------------------------------- d1

    def d1(self):
        driver = Driver("sqlite", self)
        driver.database.script(TWO_TABLES)
        project = self.harbour(driver)
        project.write("wrangler.toml", WRANGLER)

        def wrangler(script, **more):
            tool = project.folder / f"wrangler{self.number()}"
            tool.write_text("#!/bin/sh\n" + script + "\n")
            tool.chmod(0o755)
            project.variables = {"KEDGE_WRANGLER": str(tool)}
            project.connect({"connector": "d1", "database": "casedb", "local": True, **more})

        def stand_in(path):
            return f"exec {shlex.quote(sys.executable)} {shlex.quote(str(STUB))} {shlex.quote(str(path))} \"$@\""

        wrangler(stand_in(driver.path))
        self.healthy(project)
        wrangler("echo 'not logged in' >&2; exit 1")
        self.nothing_deleted(project, None, "wrangler fails")
        wrangler("echo 'this is no JSON'")
        self.nothing_deleted(project, None, "wrangler says nonsense")
        wrangler("echo '[]'")
        self.nothing_deleted(project, None, "wrangler says nothing")
        project.variables = {"KEDGE_WRANGLER": str(project.folder / "no_such_wrangler")}
        self.nothing_deleted(project, None, "no wrangler")
        wrangler(stand_in(driver.path.parent / "fresh.db"))
        self.nothing_deleted(project, None, "an empty database made on demand")
        wrangler(stand_in(driver.path))
        self.drifts(project, driver)

    def all(self):
        self.check("locked file sqlite", self.locked_sqlite)
        self.check("locked file duckdb", self.locked_duckdb)
        self.check("odbc sqlite", self.odbc_sqlite)
        self.check("odbc postgres", self.odbc_postgres)
        self.check("hidden schema postgres", lambda: self.hidden_schema("postgres"))
        self.check("hidden schema odbc", lambda: self.hidden_schema("odbc"))
        self.check("hidden public", self.hidden_public)
        self.check("outside the search path", self.outside_the_path)
        self.check("letter case mysql", self.letter_case)
        self.check("d1", self.d1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--duckdb-lib", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--only", help="a part of the name of a check")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kedge-unreachable-") as folder:
        os.chmod(folder, 0o755)
        checks = Unreachable(args, Path(folder))
        try:
            checks.all()
        finally:
            checks.databases.stop()
    print(", ".join(f"{count} {kind}" for kind, count in checks.results.items()))
    return 1 if checks.results["failed"] or not checks.results["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
