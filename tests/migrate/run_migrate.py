#!/usr/bin/env python3
"""Migrations on real databases beyond single cases: convergence over every field type and attribute, random walks, kills,
two appliers, an import of a large schema.

usage: run_migrate.py --kedge PATH --dialect sqlite|postgres|mysql|duckdb [--part NAME] [--duckdb-lib FILE] [--steps N] [--kills N]
Last line: N passed, N failed.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases  # noqa: E402


class Project:
    def __init__(self, args, dbs, more=None):
        self.kedge, self.dialect = args.kedge, args.dialect
        self.folder = Path(tempfile.mkdtemp(prefix="km"))
        self.file = self.folder / "db.file"
        self.db = dbs.open(self.dialect, self.file, self.folder)
        self.env = dict(os.environ)
        if self.dialect in ("postgres", "mysql"):
            connection = self.db.connection()
            self.env.update({k: str(v) for k, v in self.db.variables().items()})
        else:
            connection = {"connector": self.dialect, "path": "db.file"}
            self.db.script("CREATE TABLE kt_seed (a INTEGER); DROP TABLE kt_seed;")
        self.write("project.yml", json.dumps({"name": "t", "version": "1.0.0",
                                              "migrate": {"target": "db", "dialect": self.dialect, **(more or {})}}))
        self.write("connections.yml", json.dumps({"db": connection}))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def metadata(self, children):
        self.write("metadata/all.yml", json.dumps({"package": "t", "children": children}))

    def run(self, *words, ok=True):
        done = subprocess.run([self.kedge, "-C", str(self.folder), *words], capture_output=True, text=True, env=self.env, timeout=300)
        if ok and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-1500:]}{done.stdout[-800:]}")
        return done

    def changes(self, *words):
        out = self.run("migrate", "--db", "db", "--dry-run", "--format", "json", *words, ok=False)
        document = json.loads(out.stdout)
        if document["errors"] and not document["changes"]:
            raise AssertionError(str(document["errors"])[:1500])
        return document["changes"]

    def close(self):
        self.db.close()
        shutil.rmtree(self.folder, ignore_errors=True)


ALL = ["drop-column", "drop-table", "type-change", "drop-index", "drop-fk", "drop-check", "nullable-to-not-null", "drop-view",
       "drop-identity-default", "primary-key-change", "rebuild-loss", "drop-unmanaged", "adopt-view"]
ALLOW = ["--allow", ",".join(ALL)]

# Every field type with what its @default may be.
TYPES = {
    "string": ["it's", "", "n/a (none)", {"sql": "'x'"}], "int": [0, -7], "long": [9000000000, -1], "float": [0.5], "double": [-2.25],
    "decimal": [1.25, 0], "boolean": [True, False], "date": ["2027-01-02"], "time": ["10:20:30"], "timestamp": ["2027-01-02T03:04:05"],
    "currency": [0, 125], "uuid": ["0b2f6a54-43a5-4d3d-8a55-0e2b9d6f4c11"], "enum": ["A"], "uri": ["http://x"], "inet": ["10.0.0.1"],
    "map": [], "bytes": [], "object": []}


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


def every_field(dialect):
    """All combinations of type and attributes that the language allows."""
    out, number = [], 0

    def add(kind, **more):
        nonlocal number
        number += 1
        out.append((kind, more, field(kind, f"f{number}", **more)))

    for kind, defaults in TYPES.items():
        keyable = kind not in ("map", "object", "bytes") and not (kind in ("float", "double") and dialect == "mysql")
        for required in (False, True):
            for default in [None, *defaults]:
                for unique in ((False, True) if keyable else (False,)):
                    more = {"required": required}
                    if default is not None:
                        more["default"] = default
                    if unique:
                        more["unique"] = True
                    if isinstance(default, dict) and dialect == "mysql" and unique:
                        continue
                    add(kind, **more)
                    if kind == "string" and not isinstance(default, dict):
                        add(kind, maxLength=20, **more)
                        if default is None and dialect in ("postgres", "sqlite"):
                            add(kind, dbColumnType="uuid", **more)
                    if kind == "timestamp":
                        add(kind, localTime=True, **more)
                        if default is None:
                            add(kind, autoSet="onCreate", **more)
                            add(kind, autoSet="onUpdate", **more)
                    if kind in ("date", "time") and default is None:
                        add(kind, autoSet="onCreate", **more)
                    if kind == "enum" and not unique:
                        add(kind, intValueMap={"A": 1, "B": 2, "C": 5}, **more)
                    if kind in ("int", "long", "decimal", "double", "currency") and not unique:
                        add(kind, children=[{"validator.numeric": {"min": -10, "max": 10000000000}}], **more)
                    if kind == "string" and not unique and not isinstance(default, dict):
                        add(kind, children=[{"validator.length": {"min": 0, "max": 30}}], **more)
                        if dialect != "sqlite":
                            add(kind, children=[{"validator.regex": {"pattern": "^[^#]*$"}}], **more)
        if kind not in ("map", "object"):
            for required in (False, True):
                add(kind, isArray=True, required=required)
        if kind == "object":
            add(kind, storage="jsonb")
            add(kind, storage="flattened")
            add(kind, storage="flattened", required=True)
            add(kind, isArray=True)
        if kind == "decimal":
            for precision, scale in ((5, 0), (12, 4), (18, 9)):
                add(kind, precision=precision, scale=scale)
    return out


DIMS = {"object.value": {"name": "Dims", "children": [{"field.int": {"name": "wide", "required": True}},
                                                      {"field.enum": {"name": "unit", "values": ["MM", "CM"]}}]}}


def entity(name, children, key="long", generation="increment"):
    return {"object.entity": {"name": name, "children": [
        {"source.rdb": {}}, {"field." + key: {"name": "id"}}, *children,
        {"identity.primary": {"fields": "id", **({"generation": generation} if generation else {})}}]}}


def index_entities(dialect):
    out = []
    shapes = [{"fields": ["a"]}, {"fields": ["a", "b"]}, {"fields": ["b", "a"], "orders": ["desc"]}]
    if dialect != "mysql":  # MariaDB has no keys over expressions
        shapes.append({"expr": "a + b"})
    if dialect in ("postgres", "sqlite"):
        shapes += [{"fields": ["a"], "where": "b > 3"}, {"fields": ["a"], "where": "a IS NOT NULL AND b IN (1, 2)"}]
    if dialect == "postgres":
        shapes += [{"fields": ["a"], "using": "hash"}, {"fields": ["a"], "include": ["b"]}]
    for number, shape in enumerate(shapes):
        for kind in ("index.lookup", "identity.secondary"):
            if kind == "identity.secondary" and shape.get("using"):
                continue
            name = f"Ix{number}{kind[:2].title()}"
            out.append(entity(name, [field("int", "a"), field("int", "b"), {kind: {"name": f"ix_{number}_{kind[:2]}", **shape}}]))
    return out


def convergence(args, dbs):
    """Created once, planned again: nothing; the same against the snapshot; the same after every rule of keys and indexes."""
    project = Project(args, dbs)
    try:
        fields = every_field(args.dialect)
        entities = [DIMS]
        for at in range(0, len(fields), 12):
            entities.append(entity(f"Kind{at}", [one[2] for one in fields[at:at + 12]]))
        entities += index_entities(args.dialect)
        for key, generation in (("int", "increment"), ("long", None), ("uuid", "uuid"), ("string", "assigned"), ("uuid", None)):
            entities.append(entity(f"Key{key}{generation}", [], key, generation))
        for action in ("cascade", "set-null", "restrict", "no-action"):
            actions = {"onDelete": "no-action" if args.dialect == "duckdb" else action, "onUpdate": "no-action"}
            entities.append(entity("Ref" + action.replace("-", ""), [
                field("int", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Keyintincrement", **actions}}]))
        project.metadata(entities)
        project.run("migrate", "--db", "db", "--apply")
        left = project.changes()
        assert not left, f"{len(left)} of {len(fields)} fields do not converge: {json.dumps(left)[:2500]}"
        offline = project.run("migrate", "--dry-run", "--format", "json")
        assert not json.loads(offline.stdout)["changes"], offline.stdout[:1500]
        project.run("verify", "--db", "db")
        print(f"convergence [{args.dialect}]: {len(fields)} combinations of type and attributes, {len(entities)} tables")
    finally:
        project.close()


def random_entity(rng, name, dialect):
    fields, used = [], set()
    for _ in range(rng.randint(1, 5)):
        kind = rng.choice([k for k in TYPES if k not in ("object", "map", "bytes")])
        label = rng.choice("abcdefg") + kind
        if label in used:
            continue
        used.add(label)
        more = {"required": rng.random() < 0.3}
        plain = [d for d in TYPES[kind] if not isinstance(d, dict)]
        if more["required"] or rng.random() < 0.4:
            more["default"] = rng.choice(plain)
        fields.append(field(kind, label, **more))
    children = list(fields)
    if fields and rng.random() < 0.5:
        first = next(iter(fields[0].values()))
        kind = next(iter(fields[0])).split(".")[1]
        if not (kind in ("float", "double") and dialect == "mysql"):
            children.append({"index.lookup": {"name": f"ix_{name.lower()}", "fields": [first["name"]]}})
    return entity(name, children)


def walk(args, dbs):
    """Random edits, each planned, applied with rows in the tables, verified; then undone to the start."""
    rng = random.Random(7)
    project = Project(args, dbs)
    try:
        names = ["Alpha", "Beta", "Gamma", "Delta"]
        present = {}
        done = 0
        for step in range(args.steps):
            name = rng.choice(names)
            if name in present and rng.random() < 0.25:
                del present[name]
            else:
                present[name] = random_entity(rng, name, args.dialect)
            project.metadata(list(present.values()) or [DIMS])
            if not present:
                continue
            out = project.run("migrate", "--db", "db", "--apply", "--no-probe", "--on-ambiguous", "drop-add", "--slug", f"s{step}",
                              "--format", "json", *ALLOW, ok=False)
            document = json.loads(out.stdout)
            codes = {error["code"] for error in document["errors"]}
            if codes and codes <= {"ERR_APPLY_FAILED"} and "no such" not in out.stderr.lower():
                # A change that the rows of this walk forbid: nothing may have stayed.
                message = document["errors"][0]["message"]
                assert any(word in message.lower() for word in ("null", "constraint", "convert", "invalid", "cast", "syntax for type",
                                                                "incorrect", "range", "truncated")), message
                if args.strict:
                    raise AssertionError(message)
                continue
            assert out.returncode == 0, f"step {step}: {out.stderr[-1500:]}"
            left = project.changes("--on-ambiguous", "drop-add")
            assert not left, f"step {step}: {json.dumps(left)[:1500]}"
            project.run("verify", "--db", "db")
            done += 1
            for one in present:
                table = one.lower() + "s"
                try:
                    project.db.script(f"INSERT INTO {table} DEFAULT VALUES" if args.dialect != "mysql" else f"INSERT INTO {table} () VALUES ()")
                except Exception:
                    pass
        project.run("migrate", "--db", "db", "--rollback", "")
        print(f"walk [{args.dialect}]: {done} steps, then rolled back to nothing")
    finally:
        project.close()


def chain(project, count):
    for number in range(1, count + 1):
        stamp = f"202701010000{number:02d}" if number < 60 else f"20270101{number:06d}"
        project.write(f"migrations/{stamp}-m{number}/up.sql",
                      f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, a INTEGER);\n\nCREATE INDEX i{number} ON t{number} (a);\n\n"
                      f"INSERT INTO t{number} (id, a) VALUES (1, {number});\n")
        project.write(f"migrations/{stamp}-m{number}/down.sql", f"DROP TABLE t{number};\n")


def state(project, count):
    """Tables that are there, and migrations that the ledger has, as sets of numbers."""
    tables = {n for n in range(1, count + 1) if project.db.has_table(f"t{n}")}
    if not project.db.has_table("_kedge_migrations"):
        return tables, {}
    rows = project.db.query("SELECT name, status, statements_done FROM _kedge_migrations")[1]
    return tables, {int(str(r[0]).rsplit("-m", 1)[1]): (str(r[1]), int(r[2])) for r in rows}


def kills(args, dbs):
    """SIGKILL while apply-pending runs: ledger and schema agree, or status says what is half done and resume completes it."""
    rng, count, seen = random.Random(3), 12, set()
    for attempt in range(args.kills):
        project = Project(args, dbs)
        try:
            chain(project, count)
            child = subprocess.Popen([args.kedge, "-C", str(project.folder), "migrate", "apply-pending", "--db", "db"],
                                     env=project.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.01, args.window))
            child.send_signal(signal.SIGKILL)
            child.wait()
            tables, ledger = state(project, count)
            whole = {n for n, (status, _) in ledger.items() if status == "applied"}
            half = sorted(n for n, (status, _) in ledger.items() if status != "applied")
            seen.add(len(whole))
            assert whole <= tables, f"recorded without table: {whole - tables}"
            assert args.dialect == "mysql" or not half, f"half applied on {args.dialect}: {half}"
            assert tables <= whole | set(half), f"tables without a row: {tables - whole}"
            if half:
                refused = project.run("migrate", "apply-pending", "--db", "db", ok=False)
                assert refused.returncode == 1 and "ERR_HALF_APPLIED" in refused.stderr, refused.stderr
                name = f"202701010000{half[0]:02d}-m{half[0]}"
                told = project.run("migrate", "status", "--db", "db", ok=False)
                assert told.returncode == 1 and name in told.stdout, told.stdout
                project.run("migrate", "resume", name, "--db", "db", ok=False)
                if "applied" not in {s for n, (s, _) in state(project, count)[1].items() if n == half[0]}:
                    raise AssertionError("resume did not complete " + name)
            project.run("migrate", "apply-pending", "--db", "db")
            tables, ledger = state(project, count)
            assert tables == set(range(1, count + 1)) and len(ledger) == count
        finally:
            project.close()
    print(f"kills [{args.dialect}]: {args.kills} kills, after {sorted(seen)} migrations")


def together(args, dbs):
    """Two appliers at once: each migration runs once, both exit 0."""
    project = Project(args, dbs)
    try:
        chain(project, 15)
        command = [args.kedge, "-C", str(project.folder), "migrate", "apply-pending", "--db", "db"]
        both = [subprocess.Popen(command, env=project.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        outs = [one.communicate(timeout=120) for one in both]
        codes = [one.returncode for one in both]
        if args.dialect == "duckdb":  # one process holds the file; the other is refused or waits
            assert 0 in codes
            project.run("migrate", "apply-pending", "--db", "db")
        else:
            assert codes == [0, 0], (codes, outs)
        for number in range(1, 16):
            assert project.db.query(f"SELECT count(*) FROM t{number}")[1][0][0] in (1, "1")
        print(f"together [{args.dialect}]: two appliers, 15 migrations, each once")
    finally:
        project.close()


def replay(args, dbs):
    """A chain of 50 migrations from nothing to the verdict."""
    project = Project(args, dbs)
    try:
        chain(project, 50)
        times = []
        for _ in range(3):
            begin = time.monotonic()
            project.run("verify", "--replay")
            times.append(time.monotonic() - begin)
        print(f"replay [{args.dialect}]: 50 migrations in {min(times):.2f} s (first {times[0]:.2f} s)")
        project.run("migrate", "snapshot", "--rebuild")
        project.run("verify", "--replay-snapshot")
        project.run("verify", "--replay", "--with-down")
    finally:
        project.close()


def enforced(args, dbs):
    """What the metadata declares the database really refuses."""
    project = Project(args, dbs)
    try:
        no = {"onDelete": "no-action", "onUpdate": "no-action"}
        project.metadata([
            entity("Port", [field("string", "code", maxLength=5, required=True, unique=True)], "int", None),
            entity("Call", [field("int", "portId", required=True), field("enum", "kind", values=["IN", "OUT"]),
                            field("int", "tons", children=[{"validator.numeric": {"min": 0, "max": 100}}]),
                            field("string", "note", maxLength=9, children=[{"validator.length": {"min": 2}}]),
                            field("int", "low"), field("int", "high"),
                            {"identity.reference": {"name": "inPort", "fields": "portId", "references": "Port", **no}},
                            {"identity.secondary": {"name": "calls_pair", "fields": ["portId", "tons"]}},
                            {"validator.comparison": {"left": "low", "op": "lte", "right": "high"}},
                            {"validator.requiredWhen": {"field": "note", "when": "kind", "equals": "OUT"}}], "int", None)])
        project.run("migrate", "--db", "db", "--apply")
        project.db.script("INSERT INTO ports (id, code) VALUES (1, 'A');")
        good = "INSERT INTO calls (id, port_id, kind, tons, note, low, high) VALUES "
        project.db.script(good + "(1, 1, 'IN', 5, 'fine', 1, 2);")
        refused = {"duplicate unique": "INSERT INTO ports (id, code) VALUES (2, 'A')", "duplicate key": "INSERT INTO ports (id, code) VALUES (1, 'B')",
                   "null": "INSERT INTO ports (id) VALUES (3)", "orphan": good + "(2, 9, 'IN', 5, 'fine', 1, 2)",
                   "member": good + "(3, 1, 'UP', 6, 'fine', 1, 2)", "numeric": good + "(4, 1, 'IN', 101, 'fine', 1, 2)",
                   "length": good + "(5, 1, 'IN', 7, 'x', 1, 2)", "pair": good + "(6, 1, 'IN', 5, 'fine', 1, 2)",
                   "comparison": good + "(7, 1, 'IN', 8, 'fine', 3, 2)", "required when": good + "(8, 1, 'OUT', 9, NULL, 1, 2)"}
        if args.dialect == "sqlite":
            project.db.close()
            from kt.databases import Sqlite
            project.db = Sqlite(project.file, True)
        for what, sql in refused.items():
            assert project.db.attempt(sql, keep=False), f"{what} was accepted"
        print(f"enforced [{args.dialect}]: {len(refused)} rules refuse")
    finally:
        project.close()


def large_import(args, dbs):
    """300 tables and more: import, baseline, nothing to do; one change in the metadata gives that change."""
    project = Project(args, dbs)
    try:
        big = {"postgres": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "mysql": "BIGINT AUTO_INCREMENT PRIMARY KEY",
               "sqlite": "INTEGER PRIMARY KEY AUTOINCREMENT", "duckdb": "BIGINT PRIMARY KEY"}[args.dialect]
        sql = []
        for n in range(args.tables):
            up = f", up_id BIGINT REFERENCES tab{n - 1}(id)" if n and args.dialect != "mysql" else ", up_id BIGINT"
            more = {"postgres": ", tags TEXT[], payload JSONB, mood VARCHAR(7) COLLATE \"C\", gap INTERVAL, seen TIMESTAMPTZ DEFAULT now()",
                    "sqlite": ", raw BLOB, made DATETIME DEFAULT CURRENT_TIMESTAMP", "mysql": ", body MEDIUMTEXT, seen DATETIME(3), flags SET('a','b')",
                    "duckdb": ", seen TIMESTAMPTZ, tags VARCHAR[]"}[args.dialect]
            sql.append(f"CREATE TABLE tab{n} (id {big}, code VARCHAR(20) NOT NULL DEFAULT 'x', amount DECIMAL(9,2) DEFAULT 0, "
                       f"kind VARCHAR(8) CONSTRAINT tab{n}_odd CHECK (kind <> 'bad'), day DATE{more}{up});")
            sql.append(f"CREATE UNIQUE INDEX tab{n}_code ON tab{n} (code);" if n % 2 else f"CREATE INDEX tab{n}_amount ON tab{n} (amount, day);")
            if n % 10 == 0:
                sql.append(f"CREATE VIEW v{n} AS SELECT t.id, t.code, sum(t.amount) AS total FROM tab{n} t GROUP BY t.id, t.code;")
        project.db.script("\n".join(sql))
        begin = time.monotonic()
        out = json.loads(project.run("metadata", "import", "--db", "db", "--format", "json").stdout)
        spent = time.monotonic() - begin
        whole = [one for one in out["left_alone"] if "." not in one["name"]]
        assert len(whole) < 3, whole[:5]
        project.run("migrate", "baseline", "--from-db", "--db", "db")
        left = project.changes()
        assert not left, json.dumps(left)[:1500]
        project.run("verify", "--db", "db")
        path = project.folder / "metadata" / "Tab7.yml"
        text = path.read_text()
        path.write_text(text.replace("        - identity.primary:", "        - field.int: {\"name\": \"added\"}\n        - identity.primary:", 1))
        change = project.changes()
        assert [c["kind"] for c in change] == ["add-column"], json.dumps(change)[:800]
        print(f"import [{args.dialect}]: {out['entities']} tables and {out['views']} views in {spent:.1f} s, {len(out['left_alone'])} parts left alone")
    finally:
        project.close()


PARTS = {"convergence": convergence, "enforced": enforced, "together": together, "kills": kills, "replay": replay,
         "import": large_import, "walk": walk}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--part", action="append")
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--kills", type=int, default=15)
    parser.add_argument("--window", type=float, default=0.4)
    parser.add_argument("--tables", type=int, default=320)
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    args.kedge = str(Path(args.kedge).resolve())
    dbs = Databases(args.duckdb_lib)
    passed = failed = 0
    try:
        for name in args.part or PARTS:
            try:
                PARTS[name](args, dbs)
                passed += 1
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAIL {name} [{args.dialect}]: {str(error)[:3000]}")
            sys.stdout.flush()
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
