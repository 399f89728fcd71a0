#!/usr/bin/env python3
"""What a plan says about locks and rewrites, against what the server does.

usage: run_hazards.py --kedge PATH --dialect postgres|mysql [--only NAME]
postgres: every statement of a plan runs in a transaction of its own; the strongest lock that pg_locks shows on each table
  is compared with the lock printed, a changed relfilenode with the rewrite printed. What is not announced must not happen.
  The forms of --online: nothing that reads or writes all rows holds a lock against writers.
mysql: ALGORITHM and LOCK are accepted by the server; the table is the same one after INSTANT, another one after COPY.
Last line: N passed, N failed.
"""
import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases, SqlError  # noqa: E402
from run_migrate import Project  # noqa: E402

ALL = ["drop-column", "drop-table", "type-change", "drop-index", "drop-fk", "drop-check", "nullable-to-not-null", "drop-view",
       "drop-identity-default", "primary-key-change", "rebuild-loss", "drop-unmanaged", "adopt-view"]
ALLOW = ["--allow", ",".join(ALL)]


def field(kind, name, **more):
    body = {"name": name, **more}
    if kind == "enum":
        body.setdefault("values", ["A", "B", "C"])
    if kind == "decimal":
        body.setdefault("precision", 8)
        body.setdefault("scale", 2)
    if kind == "map":
        body.setdefault("valueType", "string")
    if kind == "object":
        body.setdefault("objectRef", "Dims")
    return {"field." + kind: body}


def entity(name, children, key="long", generation="increment"):
    return {"object.entity": {"name": name, "children": [
        {"source.rdb": {}}, {"field." + key: {"name": "id"}}, *children,
        {"identity.primary": {"fields": "id", **({"generation": generation} if generation else {})}}]}}


# Weakest first (postgres manual, "Table-level locks").
LOCKS = ["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"]
BLOCKS_WRITERS = LOCKS.index("SHARE")


def spaced(mode):
    """AccessExclusiveLock -> ACCESS EXCLUSIVE"""
    return " ".join(re.findall("[A-Z][a-z]*", mode.removesuffix("Lock"))).upper()


def statements(up):
    """The statements of an up file, without comments and settings; each ends in ; and a blank line."""
    out = []
    for chunk in up.split(";\n\n"):
        lines = [line for line in chunk.split("\n") if not line.startswith("-- ")]
        sql = "\n".join(lines).strip().rstrip(";")
        if sql and not re.match(r"SET (LOCAL )?(lock|statement)_timeout", sql):
            out.append(sql)
    return out


def thing(children, name="Thing", more=()):
    return [entity(name, children), *more]


def keyed(*children):
    """An entity with a key of its own choice, without rules of `entity`."""
    return [{"object.entity": {"name": "Thing", "children": [{"source.rdb": {}}, *children]}}]


PARENT = entity("Parent", [field("int", "n")])
S = field("string", "a", maxLength=10)
LONG_ID = field("long", "id", required=True)

# name: before, after, hazards as (hazard, lock, rewrite), locks of statements that carry none: (start of the statement, table, lock)
# A hazard of None: no hazard at all. Every other rewrite is a failure.
POSTGRES = {
    "add-optional-column": (thing([S]), thing([S, field("int", "z")]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "add-column-with-constant": (thing([S]), thing([S, field("int", "z", required=True, default=3)]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "add-column-with-clock": (thing([S]), thing([S, field("timestamp", "z", required=True, default="now()")]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "add-required-column": (thing([S]), thing([S, field("int", "z", required=True)]), [("add-required-column", "ACCESS EXCLUSIVE", None)], []),
    "add-volatile": (thing([S]), thing([S, field("uuid", "z", default="gen_random_uuid()")]), [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "add-volatile-required": (thing([S]), thing([S, field("uuid", "z", required=True, default="gen_random_uuid()")]),
                              [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "add-clock-timestamp": (thing([S]), thing([S, field("timestamp", "z", default="clock_timestamp()")]), [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "set-not-null": (thing([field("int", "a")]), thing([field("int", "a", required=True)]), [("set-not-null", "ACCESS EXCLUSIVE", "scan")], []),
    "drop-not-null": (thing([field("int", "a", required=True)]), thing([field("int", "a")]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "default-changes": (thing([field("int", "a", default=1)]), thing([field("int", "a", default=2)]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "varchar-longer": (thing([S]), thing([field("string", "a", maxLength=20)]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "varchar-to-text": (thing([S]), thing([field("string", "a")]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "numeric-precision-up": (thing([field("decimal", "a", precision=8, scale=2)]), thing([field("decimal", "a", precision=12, scale=2)]), [],
                             [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "numeric-to-bare": (thing([field("decimal", "a", precision=8, scale=2)]), thing([{"field.decimal": {"name": "a"}}]), [],
                        [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "numeric-scale": (thing([field("decimal", "a", precision=8, scale=2)]), thing([field("decimal", "a", precision=8, scale=1)]),
                      [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "varchar-shorter": (thing([S]), thing([field("string", "a", maxLength=5)]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "text-to-varchar": (thing([field("string", "a")]), thing([S]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "int-to-long": (thing([field("int", "a")]), thing([field("long", "a")]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "int-to-decimal": (thing([field("int", "a")]), thing([field("decimal", "a", precision=14, scale=2)]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "float-to-double": (thing([field("float", "a")]), thing([field("double", "a")]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "date-to-timestamp": (thing([field("date", "a")]), thing([field("timestamp", "a", localTime=True)]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "int-to-text": (thing([field("int", "a")]), thing([field("string", "a")]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "list-elements": (thing([field("int", "a", isArray=True)]), thing([field("long", "a", isArray=True)]), [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "add-index": (thing([S]), thing([S, {"index.lookup": {"name": "ix", "fields": ["a"]}}]), [("index-build", "SHARE", "scan")], []),
    "add-unique-index": (thing([S]), thing([field("string", "a", maxLength=10, unique=True)]), [("add-unique", "SHARE", "scan")], []),
    "drop-index": (thing([S, {"index.lookup": {"name": "ix", "fields": ["a"]}}]), thing([S]), [], [("DROP INDEX", "things", "ACCESS EXCLUSIVE")]),
    "add-primary-key": (keyed(LONG_ID, S), keyed(LONG_ID, S, {"identity.primary": {"fields": "id"}}), [("add-unique", "ACCESS EXCLUSIVE", "scan")], []),
    "add-reference": (thing([field("long", "up")], more=[PARENT]),
                      thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent"}}], more=[PARENT]),
                      [("add-fk", "SHARE ROW EXCLUSIVE", "scan")], [("ALTER TABLE", "parents", "SHARE ROW EXCLUSIVE")]),
    "drop-reference": (thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent"}}], more=[PARENT]),
                       thing([field("long", "up")], more=[PARENT]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE"), ("ALTER TABLE", "parents", "ACCESS EXCLUSIVE")]),
    "add-check": (thing([field("int", "a")]), thing([field("int", "a", children=[{"validator.numeric": {"min": 0}}])]), [("add-check", "ACCESS EXCLUSIVE", "scan")], []),
    "drop-check": (thing([field("int", "a", children=[{"validator.numeric": {"min": 0}}])]), thing([field("int", "a")]), [],
                   [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "enum-gains-member": (thing([field("enum", "a", values=["A", "B"])]), thing([field("enum", "a", values=["A", "B", "C"])]),
                          [("add-check", "ACCESS EXCLUSIVE", "scan")], [("ALTER TABLE IF EXISTS", "things", "ACCESS EXCLUSIVE")]),
    "drop-column": (thing([S, field("int", "z")]), thing([S]), [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "rename-column": (thing([S]), thing([field("string", "b", maxLength=10, formerName="a")]), [("rename-breaks-readers", "ACCESS EXCLUSIVE", None)], []),
    "rename-table": (thing([S]), [{"object.entity": {"name": "Stuff", "formerName": "things", "children": entity("x", [S])["object.entity"]["children"]}}],
                     [("rename-breaks-readers", "ACCESS EXCLUSIVE", None)], []),
    "drop-table": (thing([S], more=[PARENT]), [PARENT], [], [("DROP TABLE", "things", "ACCESS EXCLUSIVE")]),
    "comment": (thing([S]), thing([field("string", "a", maxLength=10, description="x")]), [], [("COMMENT", "things", "SHARE UPDATE EXCLUSIVE")]),
}
# The same from plain SQL: what metadata cannot declare.
POSTGRES_SQL = {
    "add-unique-constraint": ("CREATE TABLE things (id INT PRIMARY KEY, a INT);", "CREATE TABLE things (id INT PRIMARY KEY, a INT, CONSTRAINT u UNIQUE (a));",
                              [("add-unique", "ACCESS EXCLUSIVE", "scan")], []),
    "add-stored-column": ("CREATE TABLE things (id INT PRIMARY KEY, a INT);",
                          "CREATE TABLE things (id INT PRIMARY KEY, a INT, z INT GENERATED ALWAYS AS (a + 1) STORED);",
                          [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "add-identity-column": ("CREATE TABLE things (id INT PRIMARY KEY, a INT);",
                            "CREATE TABLE things (id INT PRIMARY KEY, a INT, z BIGINT GENERATED BY DEFAULT AS IDENTITY);",
                            [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "add-unknown-function": ("CREATE FUNCTION pick() RETURNS INT LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'; CREATE TABLE things (id INT PRIMARY KEY, a INT);",
                             "CREATE FUNCTION pick() RETURNS INT LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'; CREATE TABLE things (id INT PRIMARY KEY, a INT, z INT DEFAULT pick());",
                             [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "validate-constraint": ("CREATE TABLE things (id INT PRIMARY KEY, a INT); ALTER TABLE things ADD CONSTRAINT k CHECK (a > 0) NOT VALID;",
                            "CREATE TABLE things (id INT PRIMARY KEY, a INT, CONSTRAINT k CHECK (a > 0));", [],
                            [("ALTER TABLE", "things", "SHARE UPDATE EXCLUSIVE")]),
    "unlogged": ("CREATE TABLE things (id INT PRIMARY KEY, a INT);", "CREATE UNLOGGED TABLE things (id INT PRIMARY KEY, a INT);",
                 [("table-rebuild", "ACCESS EXCLUSIVE", "rewrite")], []),
    "generated-remade": ("CREATE TABLE things (id INT PRIMARY KEY, a INT, z INT GENERATED ALWAYS AS (a + 1) STORED);",
                         "CREATE TABLE things (id INT PRIMARY KEY, a INT, z INT GENERATED ALWAYS AS (a + 2) STORED);",
                         [("volatile-default", "ACCESS EXCLUSIVE", "rewrite")], []),
    "identity-later": ("CREATE TABLE things (id INT PRIMARY KEY, a INT);", "CREATE TABLE things (id INT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a INT);",
                       [], [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
    "timestamp-zone": ("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Europe/Berlin'); END $$; "
                       "CREATE TABLE things (id INT PRIMARY KEY, a TIMESTAMP);", "CREATE TABLE things (id INT PRIMARY KEY, a TIMESTAMPTZ);",
                       [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "char-longer": ("CREATE TABLE things (id INT PRIMARY KEY, a CHAR(5));", "CREATE TABLE things (id INT PRIMARY KEY, a CHAR(9));",
                    [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "domain": ("CREATE DOMAIN d AS INT CHECK (VALUE > 0); CREATE TABLE things (id INT PRIMARY KEY, a INT);", "CREATE DOMAIN d AS INT CHECK (VALUE > 0); CREATE TABLE things (id INT PRIMARY KEY, a d);",
               [("type-rewrite", "ACCESS EXCLUSIVE", "rewrite")], []),
    "collation": ("CREATE TABLE things (id INT PRIMARY KEY, a TEXT);", "CREATE TABLE things (id INT PRIMARY KEY, a TEXT COLLATE \"C\");", [],
                  [("ALTER TABLE", "things", "ACCESS EXCLUSIVE")]),
}


def fill_postgres(db):
    """300 rows in every table, whatever its columns are."""
    for table in [row[0] for row in db.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
                                             "AND relname NOT LIKE '\\_kedge%' ORDER BY relname = 'things', relname")[1]]:
        columns = db.query("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '" + table
                           + "'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum")[1]
        values = []
        for name, kind in columns:
            values.append("g::text::" + kind if kind.startswith(("char", "text")) else "1" if name == "up" else "'2027-01-01'::date + g"
                          if kind.startswith(("date", "timestamp")) else "'A'" if name == "kind" else "ARRAY[g]" if kind.endswith("[]") else "g")
        names = ", ".join(f'"{name}"' for name, _ in columns)
        try:
            db.script(f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM generate_series(1, 300) AS g; ANALYZE {table};")
        except SqlError:  # an enum column
            db.script(f"INSERT INTO {table} (id, a) SELECT g, 'A' FROM generate_series(1, 300) AS g; ANALYZE {table};")


def tables_of(db):
    return {row[0]: row[1] for row in db.query("SELECT relname, relfilenode FROM pg_class WHERE relkind = 'r' AND "
                                               "relnamespace = 'public'::regnamespace AND relname NOT LIKE '\\_kedge%'")[1]}


def observe(db, sql):
    """Runs it for good; per table the strongest lock, and the tables whose file is another one."""
    before = db.query("SELECT oid, relname, relfilenode FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")[1]
    script = (f"BEGIN;\n{sql};\n\\o\nSELECT 'lock|' || relation || '|' || mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IS NOT NULL;\nCOMMIT;\n")
    done = db.server._psql(db.name, script, "-A", "-t")
    assert done.returncode == 0, f"{sql}: {done.stderr}"
    locks = {}
    names = {oid: name for oid, name, _ in before}
    for line in done.stdout.splitlines():
        if line.startswith("lock|"):
            _, oid, mode = line.split("|")
            if oid in names:
                place = LOCKS.index(spaced(mode))
                locks[names[oid]] = max(place, locks.get(names[oid], 0))
    after = dict((row[0], row[1]) for row in db.query("SELECT oid, relfilenode FROM pg_class WHERE relkind = 'r'")[1])
    rewritten = {name for oid, name, node in before if oid in after and after[oid] != node}
    return locks, rewritten


def plan(project, *words):
    out = project.run("migrate", "--db", "db", "--dry-run", "--format", "json", "--no-probe", *ALLOW, *words, ok=False)
    document = json.loads(out.stdout)
    assert document["exit_code"] == 0, document["errors"]
    return document


def postgres_case(args, dbs, before, after, hazards, quiet, plain_sql):
    project = Project(args, dbs)
    try:
        words = []
        if plain_sql:
            project.db.script(before)
            project.write("want.sql", after)
            words = ["--from-sql", "want.sql"]
        else:
            project.metadata(before)
            project.run("migrate", "--db", "db", "--apply")
            project.metadata(after)
        fill_postgres(project.db)
        document = plan(project, *words)
        told = [(h["hazard"], h.get("lock"), h.get("rewrite")) for h in document["hazards"]]
        assert sorted(map(str, told)) == sorted(map(str, hazards)), f"hazards {told}, wanted {hazards}"
        for hazard in document["hazards"]:
            assert hazard.get("rows_estimate") == 300, f"rows_estimate {hazard.get('rows_estimate')}"
        if any(hazard == "add-required-column" for hazard, _, _ in hazards):  # fails on rows, as it says
            project.db.script("TRUNCATE things;")
        seen, rewritten = {}, set()
        for sql in statements(document["up"]):
            locks, files = observe(project.db, sql)
            rewritten |= files
            for start, table, lock in quiet:
                if sql.startswith(start) and table in locks:
                    seen[(start, table)] = LOCKS[locks[table]]
            for table, lock in locks.items():
                seen[table] = max(seen.get(table, 0), lock)
        for name, lock, rewrite in hazards:
            assert LOCKS[seen.get("things", 0)] == lock, f"{name} prints {lock}, the server took {LOCKS[seen.get('things', 0)]}"
        for start, table, lock in quiet:
            assert seen.get((start, table)) == lock, f"{start} on {table}: {seen.get((start, table))}, the table of locks says {lock}"
        promised = any(rewrite == "rewrite" for _, _, rewrite in hazards)
        assert bool(rewritten) == promised, f"rewritten: {sorted(rewritten)}, announced: {promised}"
    finally:
        project.close()


# What --online makes of it: statements in order as (file number, start, strongest lock on the table).
ONLINE = {
    "index": (thing([S]), thing([S, {"index.lookup": {"name": "ix", "fields": ["a"]}}]), [("CREATE INDEX CONCURRENTLY", "SHARE UPDATE EXCLUSIVE")]),
    "unique": (thing([S]), thing([field("string", "a", maxLength=10, unique=True)]), [("CREATE UNIQUE INDEX CONCURRENTLY", "SHARE UPDATE EXCLUSIVE")]),
    "drop-index": (thing([S, {"index.lookup": {"name": "ix", "fields": ["a"]}}]), thing([S]), [("DROP INDEX CONCURRENTLY", "SHARE UPDATE EXCLUSIVE")]),
    "reference": (thing([field("long", "up")], more=[PARENT]),
                  thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent"}}], more=[PARENT]),
                  [("ALTER TABLE \"things\" ADD CONSTRAINT", "SHARE ROW EXCLUSIVE"), ("ALTER TABLE \"things\" VALIDATE", "SHARE UPDATE EXCLUSIVE")]),
    "check": (thing([field("int", "a")]), thing([field("int", "a", children=[{"validator.numeric": {"min": 0}}])]),
              [("ALTER TABLE \"things\" ADD CONSTRAINT", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" VALIDATE", "SHARE UPDATE EXCLUSIVE")]),
    "not-null": (thing([field("int", "a")]), thing([field("int", "a", required=True)]),
                 [("ALTER TABLE \"things\" ADD CONSTRAINT", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" VALIDATE", "SHARE UPDATE EXCLUSIVE"),
                  ("ALTER TABLE \"things\" ALTER COLUMN", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" DROP CONSTRAINT", "ACCESS EXCLUSIVE")]),
    "volatile": (thing([S]), thing([S, field("uuid", "z", required=True, default="gen_random_uuid()")]),
                 [("ALTER TABLE \"things\" ADD COLUMN", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" ALTER COLUMN \"z\" SET DEFAULT", "ACCESS EXCLUSIVE"),
                  ("ALTER TABLE \"things\" ADD CONSTRAINT", "ACCESS EXCLUSIVE"), ("DO ", "ROW EXCLUSIVE"), ("ALTER TABLE \"things\" VALIDATE", "SHARE UPDATE EXCLUSIVE"),
                  ("ALTER TABLE \"things\" ALTER COLUMN \"z\" SET NOT NULL", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" DROP CONSTRAINT", "ACCESS EXCLUSIVE")]),
    "key": (keyed(LONG_ID, S), keyed(LONG_ID, S, {"identity.primary": {"fields": "id"}}),
            [("CREATE UNIQUE INDEX CONCURRENTLY", "SHARE UPDATE EXCLUSIVE"), ("ALTER TABLE \"things\" ADD CONSTRAINT \"things_pkey\" PRIMARY KEY USING", "ACCESS EXCLUSIVE")]),
    "counted-key": (keyed(LONG_ID, S), keyed(LONG_ID, S, field("long", "z"), {"identity.primary": {"fields": "z", "generation": "increment"}}),
                    [("ALTER TABLE \"things\" ADD COLUMN", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" ADD CONSTRAINT \"things_z", "ACCESS EXCLUSIVE"),
                     ("ALTER TABLE \"things\" ADD CONSTRAINT \"things_pkey\" PRIMARY KEY USING", "ACCESS EXCLUSIVE"),
                     ("ALTER TABLE \"things\" ALTER COLUMN \"z\" ADD GENERATED", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" ALTER COLUMN \"z\" DROP DEFAULT", "ACCESS EXCLUSIVE"),
                     ("ALTER TABLE \"things\" ALTER COLUMN \"z\" SET DEFAULT", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" ALTER COLUMN \"z\" SET NOT NULL", "ACCESS EXCLUSIVE"),
                     ("ALTER TABLE \"things\" DROP CONSTRAINT", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" VALIDATE", "SHARE UPDATE EXCLUSIVE"),
                     ("CREATE UNIQUE INDEX CONCURRENTLY", "SHARE UPDATE EXCLUSIVE"), ("DO ", "ROW EXCLUSIVE")]),
    "volatile-optional": (thing([S]), thing([S, field("uuid", "z", default="gen_random_uuid()")]),
                          [("ALTER TABLE \"things\" ADD COLUMN", "ACCESS EXCLUSIVE"), ("ALTER TABLE \"things\" ALTER COLUMN \"z\" SET DEFAULT", "ACCESS EXCLUSIVE"),
                           ("DO ", "ROW EXCLUSIVE")]),
}


def beside_a_writer(db, sql):
    """The lock on things that a statement outside a transaction holds or waits for, seen while a writer is at work."""
    server = db.server
    writer = subprocess.Popen([server.psql, "-X", "-q", "-h", server.host, "-p", str(server.port), "-U", "ktuser7q", "-d", db.name],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    writer.stdin.write("BEGIN; UPDATE things SET a = a WHERE id = 1; SELECT 'ready';\n")
    writer.stdin.flush()
    for line in writer.stdout:
        if "ready" in line:
            break
    runner = subprocess.Popen([server.psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", server.host, "-p", str(server.port), "-U", "ktuser7q", "-d", db.name,
                               "-c", "SET application_name = 'ddl'", "-c", sql], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = None
    for _ in range(100):
        rows = db.query("SELECT l.mode, l.granted FROM pg_locks l JOIN pg_stat_activity s ON s.pid = l.pid WHERE s.application_name = 'ddl' "
                        "AND l.relation = 'things'::regclass")[1]
        if rows:
            assert all(granted == "t" for _, granted in rows), f"waits for the writer: {rows}"
            found = LOCKS[max(LOCKS.index(spaced(mode)) for mode, _ in rows)]
            break
        time.sleep(0.05)
    writer.communicate("COMMIT;\n", timeout=60)
    _, errors = runner.communicate(timeout=60)
    assert runner.returncode == 0, errors
    return found


def online_case(args, dbs, before, after, wanted):
    project = Project(args, dbs)
    try:
        project.metadata(before)
        project.run("migrate", "--db", "db", "--apply")
        fill_postgres(project.db)
        project.metadata(after)
        files = tables_of(project.db)
        document = plan(project, "--online")
        found = []
        for sql in statements(document["up"]):
            if "CONCURRENTLY" in sql:
                found.append((sql, beside_a_writer(project.db, sql)))
            elif sql.startswith("DO "):
                project.db.script(sql + ";")
                found.append((sql, "ROW EXCLUSIVE"))
                assert project.db.query("SELECT count(*) FROM things WHERE z IS NULL")[1] == [["0"]], "rows are not filled"
            else:
                if "SET NOT NULL" in sql:  # the check proves it, so that no row is read
                    said = project.db.server._psql(project.db.name, f"SET client_min_messages = debug1; BEGIN; {sql}; ROLLBACK;").stderr
                    assert "sufficient to prove" in said, said
                locks, _ = observe(project.db, sql)
                if "things" in locks:  # a sequence beside it is nobody's
                    found.append((sql, LOCKS[locks["things"]]))
        shown = [(sql[:90], lock) for sql, lock in found]
        assert len(found) == len(wanted), f"{shown}"
        for (sql, lock), (start, expected) in zip(sorted(found), sorted(wanted)):
            assert sql.startswith(start) and lock == expected, f"{sql[:120]} took {lock}, wanted {start}: {expected}"
        assert tables_of(project.db) == files, "a table was rewritten"
        left = project.changes()
        assert not left, f"does not converge: {json.dumps(left)[:600]}"
    finally:
        project.close()


def online_files(args, dbs):
    """Three folders with time stamps in a row; applied, in the ledger, converged, snapshot as ever."""
    project = Project(args, dbs)
    try:
        project.metadata(thing([field("int", "a"), field("int", "b")]))
        project.run("migrate", "--db", "db", "--apply")
        project.metadata(thing([field("int", "a", required=True), field("int", "b"), {"index.lookup": {"name": "ix", "fields": ["b"]}}]))
        project.run("migrate", "--db", "db", "--online", "--slug", "wide", *ALLOW)
        names = sorted(p.name for p in (project.folder / "migrations").iterdir() if p.is_dir() and "wide" in p.name)
        assert [n.split("-", 1)[1] for n in names] == ["wide-1-prepare", "wide-2-online", "wide-3-finish"], names
        stamps = [int(n.split("-", 1)[0]) for n in names]
        assert stamps == sorted(set(stamps)), stamps
        texts = [(project.folder / "migrations" / n / "up.sql").read_text() for n in names]
        assert ["-- kedge: transaction off" in text for text in texts] == [False, True, False], texts
        project.run("migrate", "apply-pending", "--db", "db")
        assert not project.changes()
        offline = json.loads(project.run("migrate", "--dry-run", "--format", "json").stdout)
        assert not offline["changes"], offline["changes"]
        project.run("verify", "--db", "db")
        project.run("migrate", "--db", "db", "--rollback", "")
        assert not tables_of(project.db), tables_of(project.db)
    finally:
        project.close()


def lock_timeout(args, dbs):
    """A table that somebody reads for long: nothing applied, exit 2, the application is not queued behind; repeated later it works."""
    project = Project(args, dbs, {"lock_timeout": "200ms"})
    try:
        project.metadata(thing([S]))
        project.run("migrate", "--db", "db", "--apply")
        project.metadata(thing([S, field("int", "z")]))
        project.run("migrate", "--db", "db")
        server = project.db.server
        reader = subprocess.Popen([server.psql, "-X", "-q", "-h", server.host, "-p", str(server.port), "-U", "ktuser7q", "-d", project.db.name],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        reader.stdin.write("BEGIN; SELECT count(*) FROM things; SELECT 'ready';\n")
        reader.stdin.flush()
        for line in reader.stdout:
            if "ready" in line:
                break
        out = project.run("migrate", "apply-pending", "--db", "db", "--lock-retries", "1", "--format", "json", ok=False)
        document = json.loads(out.stdout)
        assert out.returncode == 2 and [e["code"] for e in document["errors"]] == ["ERR_LOCK_TIMEOUT"], (out.returncode, document["errors"])
        assert len(project.db.query("SELECT name FROM _kedge_migrations")[1]) == 1
        reader.communicate("COMMIT;\n", timeout=60)
        project.run("migrate", "apply-pending", "--db", "db")
        assert not project.changes()
    finally:
        project.close()


# name: before, after, (ALGORITHM, LOCK) of the one statement on things, (hazard, lock, rewrite) or None
MYSQL = {
    "add-optional-column": (thing([S]), thing([S, field("int", "z")]), ("INSTANT", None), None),
    "add-column-with-constant": (thing([S]), thing([S, field("int", "z", required=True, default=3)]), ("INSTANT", None), None),
    "add-column-with-uuid": (thing([S]), thing([S, field("uuid", "z", default="uuid()")]), None, ("volatile-default", "SHARED", "rewrite")),
    "add-json": (thing([S]), thing([S, field("map", "z")]), ("INSTANT", None), None),
    "add-column-with-clock": (thing([S]), thing([S, field("timestamp", "z", required=True, autoSet="onCreate")]), ("INSTANT", None), None),
    "add-column-with-clock-on-update": (thing([S]), thing([S, field("timestamp", "z", autoSet="onUpdate")]), ("INSTANT", None), None),
    "drop-column": (thing([S, field("int", "z")]), thing([S]), ("INPLACE", "NONE"), None),
    "rename-column": (thing([S]), thing([field("string", "b", maxLength=10, formerName="a")]), ("INPLACE", "NONE"), ("rename-breaks-readers", None, None)),
    "varchar-longer": (thing([S]), thing([field("string", "a", maxLength=20)]), ("INPLACE", "NONE"), None),
    "varchar-much-longer": (thing([S]), thing([field("string", "a", maxLength=200)]), ("COPY", "SHARED"), ("type-rewrite", "SHARED", "rewrite")),
    "varchar-shorter": (thing([S]), thing([field("string", "a", maxLength=5)]), ("COPY", "SHARED"), ("type-rewrite", "SHARED", "rewrite")),
    "int-to-long": (thing([field("int", "a")]), thing([field("long", "a")]), ("COPY", "SHARED"), ("type-rewrite", "SHARED", "rewrite")),
    "default-changes": (thing([field("int", "a", default=1)]), thing([field("int", "a", default=2)]), ("INSTANT", None), None),
    "set-not-null": (thing([field("int", "a")]), thing([field("int", "a", required=True)]), ("INPLACE", "NONE"), ("set-not-null", "NONE", "scan")),
    "add-index": (thing([S]), thing([S, {"index.lookup": {"name": "ix", "fields": ["a"]}}]), ("INPLACE", "NONE"), None),
    "add-unique": (thing([S]), thing([field("string", "a", maxLength=10, unique=True)]), ("INPLACE", "NONE"), ("add-unique", "NONE", "scan")),
    "add-primary-key": (keyed(LONG_ID, S), keyed(LONG_ID, S, {"identity.primary": {"fields": "id"}}), ("INPLACE", "NONE"), ("add-unique", "NONE", "scan")),
    "add-reference": (thing([field("long", "up")], more=[PARENT]),
                      thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent"}}], more=[PARENT]),
                      ("COPY", "SHARED"), ("add-fk", "SHARED", "rewrite")),
    "drop-reference": (thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent"}}], more=[PARENT]),
                       thing([field("long", "up")], more=[PARENT]), ("INPLACE", "NONE"), ("drop-not-replayable", None, None)),
    "a-child-of-a-cascade": (thing([field("long", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Parent", "onDelete": "cascade"}}], more=[PARENT]),
                             thing([field("long", "up"), field("int", "n"), {"index.lookup": {"name": "ix", "fields": ["n"]}},
                                    {"identity.reference": {"name": "r", "fields": "up", "references": "Parent", "onDelete": "cascade"}}], more=[PARENT]),
                             ("INPLACE", "SHARED"), None),
    "add-check": (thing([field("int", "a")]), thing([field("int", "a", children=[{"validator.numeric": {"min": 0}}])]), ("COPY", "SHARED"),
                  ("add-check", "SHARED", "rewrite")),
    "drop-check": (thing([field("int", "a", children=[{"validator.numeric": {"min": 0}}])]), thing([field("int", "a")]), None,
                   ("drop-not-replayable", None, None)),
    "comment": (thing([S]), thing([field("string", "a", maxLength=10, description="x")]), ("INSTANT", None), None),
}


def mysql_case(args, dbs, before, after, clause, hazard):
    project = Project(args, dbs)
    try:
        project.metadata(before)
        project.run("migrate", "--db", "db", "--apply")
        project.db.script("INSERT INTO things (id) VALUES (1); UPDATE things SET id = 2;" if hazard and hazard[0] == "set-not-null" else "INSERT INTO things (id) VALUES (1), (2);")
        if hazard and hazard[0] == "set-not-null":
            project.db.script("UPDATE things SET a = 1;")
        project.metadata(after)
        document = plan(project)
        told = [(h["hazard"], h.get("lock"), h.get("rewrite")) for h in document["hazards"]]
        assert told == ([hazard] if hazard else []), f"hazards {told}, wanted {hazard}"
        def table_id():
            root = project.db.server._client(None, "SELECT TABLE_ID FROM information_schema.INNODB_SYS_TABLES WHERE NAME = '"
                                             + project.db.name + "/things'", "-N", user="root", password=None)
            return root.stdout.strip()
        first = table_id()
        assert first, "no table id: the server shows none"
        with_clause = [s for s in statements(document["up"]) if "ALGORITHM=" in s]
        if clause:
            wanted = "ALGORITHM=" + clause[0] + (f".*LOCK={clause[1]}" if clause[1] else "$")
            assert any(re.search(wanted, s) for s in with_clause), f"{document['up']} lacks {wanted}"
        for sql in statements(document["up"]):
            project.db.script(sql + ";")
        if hazard and hazard[2] == "rewrite":
            assert table_id() != first, "the table was not copied"
        elif clause and clause[0] == "INSTANT":
            assert table_id() == first, "the table was copied"
        assert not project.changes(), "does not converge"
    finally:
        project.close()


def sizes(args, dbs):
    """The server's own figure of the endangered table, in JSON and for people; the old name is asked where a table is renamed."""
    project = Project(args, dbs)
    try:
        project.metadata(thing([field("int", "a")]))
        project.run("migrate", "--db", "db", "--apply")
        project.db.script("INSERT INTO things (id, a) VALUES (1, 1), (2, 2);")
        wanted = project.db.query("SELECT pg_total_relation_size('things')" if args.dialect == "postgres" else
                                  "SELECT data_length + index_length FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'things'")[1][0][0]
        after = thing([field("int", "a", required=True)])
        after[0]["object.entity"].update(formerName="things")
        after[0]["object.entity"]["children"][0] = {"source.rdb": {"table": "renamed"}}
        project.metadata(after)
        hazards = plan(project)["hazards"]
        assert hazards and all(str(hazard["bytes_estimate"]) == wanted for hazard in hazards), (hazards, wanted)
        out = project.run("migrate", "--db", "db", *ALLOW).stdout
        assert re.search(r"hazard set-not-null: .*\b\d+ (kB|bytes)\)", out), out
    finally:
        project.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--dialect", required=True, choices=["postgres", "mysql"])
    parser.add_argument("--only")
    args = parser.parse_args()
    args.kedge = str(Path(args.kedge).resolve())
    runs = []
    if args.dialect == "postgres":
        runs += [(name, lambda one=one: postgres_case(args, dbs, *one, plain_sql=False)) for name, one in POSTGRES.items()]
        runs += [(name, lambda one=one: postgres_case(args, dbs, *one, plain_sql=True)) for name, one in POSTGRES_SQL.items()]
        runs += [("online-" + name, lambda one=one: online_case(args, dbs, *one)) for name, one in ONLINE.items()]
        runs += [("online-files", lambda: online_files(args, dbs)), ("lock-timeout", lambda: lock_timeout(args, dbs))]
    else:
        runs += [(name, lambda one=one: mysql_case(args, dbs, *one)) for name, one in MYSQL.items()]
    runs.append(("sizes", lambda: sizes(args, dbs)))
    dbs = Databases()
    passed = failed = 0
    try:
        for name, run in runs:
            if args.only and args.only not in name:
                continue
            try:
                run()
                passed += 1
            except (AssertionError, SqlError, KeyError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAIL {name} [{args.dialect}]: {type(error).__name__ if not isinstance(error, AssertionError) else ''} {str(error)[:1500]}")
                sys.stdout.flush()
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
