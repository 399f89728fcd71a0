#!/usr/bin/env python3
"""Every field type with every combination of attributes that the language allows, every kind of key, index, reference and view: created
once, planned again, nothing is left to do: live, offline, and in a copy that the engine's own dump and restore made.

usage: run_convergence.py --session PATH --dialect sqlite|postgres|mysql|duckdb [--duckdb-lib FILE]
Last line: N passed, N failed.
"""
import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "walk"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases  # noqa: E402
from session import Session  # noqa: E402

UUID = "0b2f6a54-43a5-4d3d-8a55-0e2b9d6f4c11"
# What @default may be, by type; None stands for no default.
DEFAULTS = {
    "string": ["x", "it's", "", "n/a (none)", "now()", "NULL", "back\\slash", "100%", "ünïcode", {"sql": "'x'"}], "uri": ["http://x/?a=b&c", ""],
    "int": [0, -7, 2147483647], "long": [9000000000, -1], "currency": [0, 125], "float": [0.5, -1.25], "double": [-2.25, 1e10],
    "decimal": [1.25, 0, -3], "boolean": [True, False], "date": ["2027-01-02"], "time": ["10:20:30"],
    "timestamp": ["2027-01-02T03:04:05"], "uuid": [UUID], "enum": ["A", "C"], "inet": ["10.0.0.1"]}
NO_KEYS = ("map", "object", "bytes")


def sizes(kind, dialect):
    """The ways to say how large, how precise or how stored."""
    if kind == "string":
        more = [{"dbColumnType": "uuid"}, {"dbColumnType": "jsonb"}]
        return [{}, {"maxLength": 1}, {"maxLength": 20}, {"maxLength": 255}, *(more if dialect in ("postgres", "sqlite") else [])]
    if kind == "decimal":
        bare = [{"precision": None}] if dialect in ("postgres", "sqlite") else []
        return [{"precision": 9, "scale": 2}, {"precision": 5}, {"precision": 18, "scale": 9}, *bare]
    if kind == "timestamp":
        return [{}, {"localTime": True}]
    if kind == "enum":
        return [{}, {"intValueMap": {"A": 1, "B": 2, "C": 5}}, {"values": ["C", "A"]}]
    if kind == "object":
        return [{"storage": "flattened"}, {"storage": "jsonb"}, {"storage": "subdocument"}, {}]
    if kind == "map":
        return [{"valueType": one} for one in ("string", "int", "long", "double", "float", "decimal", "boolean", "date", "time", "timestamp", "uuid")] \
            + [{"objectRef": "Dims"}]
    if kind == "inet":
        return [{}, {"lenient": True}]
    return [{}]


def values(kind, size):
    """Defaults and generated values."""
    if size.get("dbColumnType") == "uuid":
        return [{}, {"default": UUID}]
    if size.get("dbColumnType") == "jsonb":
        return [{}]
    out = [{}] + [{"default": one} for one in DEFAULTS.get(kind, []) if not (size.get("maxLength") == 1 and (isinstance(one, dict) or len(one) > 1))]
    if kind == "decimal" and (size.get("precision") == 5 or not size.get("precision")):
        out = [one for one in out if one.get("default") != 1.25]
    if kind in ("date", "time", "timestamp"):
        out += [{"autoSet": "onCreate"}, {"autoSet": "onUpdate"}]
    return out


def checks(kind, size, dialect):
    if "dbColumnType" in size or size.get("maxLength") == 1:
        return [[]]
    if kind in ("string", "uri"):
        return [[], [{"validator.length": {"min": 0, "max": 30}}], [{"validator.length": {"max": 99}}],
                *([[{"validator.regex": {"pattern": "^[^#']*$"}}]] if dialect != "sqlite" else []), [{"validator.required": {}}]]
    if kind in ("int", "long", "decimal", "double", "currency"):
        return [[], [{"validator.numeric": {"min": -10, "max": 10000000000}}], [{"validator.numeric": {"min": -100}}]]
    return [[]]


def keyed(kind, size, dialect):
    plain = kind in NO_KEYS or size.get("dbColumnType") == "jsonb" or (dialect == "mysql" and kind in ("float", "double"))
    return ("",) if plain else ("", "unique", "lookup", "secondary")


def every_field(dialect):
    """(field body, how it is keyed) of every combination."""
    out = []
    kinds = [*DEFAULTS, "map", "object", "bytes"]
    for kind in kinds:
        for size in sizes(kind, dialect):
            for value, required, check, key, told in itertools.product(values(kind, size), (False, True), checks(kind, size, dialect),
                                                                       keyed(kind, size, dialect), (False, True)):
                if told and (key or check or value.get("default") == ""):  # comments beside the plain forms
                    continue
                if isinstance(value.get("default"), dict) and dialect == "mysql" and key:
                    continue
                body = {key: one for key, one in {"required": required or None, **size, **value}.items() if one is not None}
                if kind == "enum":
                    body.setdefault("values", ["A", "B", "C"])
                if kind == "object":
                    body["objectRef"] = "Dims"
                if check:
                    body["children"] = check
                if told:
                    body["description"] = "what it's for"
                if key == "unique":
                    body["unique"] = True
                out.append((kind, body, key))
    for kind in DEFAULTS:
        for required in (False, True):
            body = {"isArray": True, "required": required}
            if kind == "enum":
                body["values"] = ["A", "B"]
            if kind == "decimal":
                body.update(precision=9, scale=2)
            out.append((kind, body, ""))
    for kind, more in (("object", {"objectRef": "Dims"}), ("map", {"valueType": "int"})):
        out.append((kind, {"isArray": True, **more}, ""))
    return out


def entity(name, children, key=("long", "increment"), **more):
    return {"object.entity": {"name": name, **more, "children": [
        {"source.rdb": {}}, {"field." + key[0]: {"name": "id"}}, *children,
        {"identity.primary": {"fields": "id", **({"generation": key[1]} if key[1] else {})}}]}}


def field_entities(fields):
    out, number = [], 0
    for at in range(0, len(fields), 14):
        children = []
        for kind, body, key in fields[at:at + 14]:
            number += 1
            name = f"f{number}"
            children.append({"field." + kind: {"name": name, **body}})
            if key in ("lookup", "secondary"):
                node = "index.lookup" if key == "lookup" else "identity.secondary"
                children.append({node: {"name": f"ix_{number}", "fields": [name]}})
        out.append(entity(f"Kind{at}", children))
    return out


def index_entities(dialect):
    shapes = [{"fields": ["a"]}, {"fields": ["a", "b"]}, {"fields": ["b", "a"], "orders": ["desc"]}, {"fields": ["a", "b"], "orders": ["asc", "desc"]}]
    if dialect != "mysql":
        shapes += [{"expr": "a + b"}, {"expr": "coalesce(a, 0)"}]
    if dialect in ("postgres", "sqlite"):
        shapes += [{"fields": ["a"], "where": one} for one in ("b > 3", "a IS NOT NULL AND b IN (1, 2)", "s = 'Open'", "NOT (a > 1 OR b < 2)", "s LIKE 'a%'",
                                                                  "a BETWEEN 1 AND 5")]
        shapes += [{"expr": "lower(s)"}, {"expr": "lower(s)", "where": "b > 3"}]
    if dialect == "postgres":
        shapes += [{"fields": ["a"], "using": "hash"}, {"fields": ["a"], "include": ["b"]}, {"fields": ["a"], "nullsNotDistinct": True},
                   {"fields": ["l"], "using": "gin"}, {"fields": ["a"], "using": "brin"}]
    out = []
    for number, shape in enumerate(shapes):
        for node in ("index.lookup", "identity.secondary"):
            unique = node == "identity.secondary"
            if (unique and shape.get("using")) or (not unique and shape.get("nullsNotDistinct")):
                continue
            out.append(entity(f"Ix{number}{'u' if unique else 'l'}", [
                {"field.int": {"name": "a"}}, {"field.int": {"name": "b"}}, {"field.string": {"name": "s", "maxLength": 30}},
                {"field.int": {"name": "l", "isArray": True}}, {node: {"name": f"shape_{number}_{'u' if unique else 'l'}", **shape}}]))
    return out


def key_entities(dialect):
    out = [entity(f"Key{kind}{generation}".title(), [], (kind, generation)) for kind, generation in (
        ("int", "increment"), ("long", "increment"), ("long", None), ("uuid", "uuid"), ("uuid", None), ("string", "assigned"), ("string", "uuid"),
        ("int", "assigned"))]
    pair = {"object.entity": {"name": "Pair", "children": [{"source.rdb": {}}, {"field.int": {"name": "a"}}, {"field.string": {"name": "b", "maxLength": 9}},
                                                          {"identity.primary": {"fields": ["b", "a"]}}]}}
    actions = ("cascade", "restrict", "no-action", "set-null") if dialect != "duckdb" else ("no-action", "restrict")
    for on_delete, on_update in itertools.product(actions, actions):
        for target, kind in (("KeyintincrementTarget", "int"), ("KeylongnoneTarget", "long")):
            name = f"Ref {on_delete} {on_update} {kind}".title().replace(" ", "").replace("-", "")
            more = {"deferrable": True} if dialect in ("postgres", "sqlite") and kind == "int" and on_delete == "cascade" else {}
            out.append(entity(name, [{"field." + kind: {"name": "up"}}, {"identity.reference": {
                "name": "r", "fields": "up", "references": target, "onDelete": on_delete, "onUpdate": on_update, **more}}]))
    out += [entity("KeyintincrementTarget", [], ("int", "increment")), entity("KeylongnoneTarget", [], ("long", None)), pair]
    plain = {"onDelete": "no-action", "onUpdate": "no-action"}
    out.append(entity("ToPair", [{"field.string": {"name": "b", "maxLength": 9}}, {"field.int": {"name": "a"}},
                                 {"identity.reference": {"name": "r", "fields": ["b", "a"], "references": "Pair", **plain}}]))
    out.append(entity("ToSelf", [{"field.long": {"name": "up"}}, {"identity.reference": {"name": "r", "fields": "up", "references": "ToSelf", **plain}}]))
    out.append(entity("Quiet", [{"field.long": {"name": "up"}}, {"identity.reference": {"name": "r", "fields": "up", "references": "ToSelf", "enforce": False}}]))
    return out


ODD_NAMES = ["order", "select", "Group", "user", "with space", "it's", 'say "hi"', "semi;colon", "ÜmläutÄ", "a-b", "percent%", "UPPER", "x" * 60, "desc"]


def name_entities(dialect):
    out = []
    for number, name in enumerate(ODD_NAMES):
        if dialect == "mysql" and name.endswith(" "):
            continue
        source = {"source.rdb": {"table": name}}
        children = [source, {"field.long": {"name": "id"}}, {"field.string": {"name": "s", "column": name, "maxLength": 20, "unique": True, "required": True}},
                    {"field.enum": {"name": "e", "column": name[:50] + "_e", "values": ["A", "B"], "default": "A"}},
                    {"index.lookup": {"name": f"odd_{number}", "fields": ["s"]}}, {"identity.primary": {"fields": "id", "generation": "increment"}}]
        out.append({"object.entity": {"name": f"Odd{number}", "description": "odd: " + name, "children": children}})
    return out


def schema_entities(dialect):
    """Tables of another schema, with everything that is named after them."""
    if dialect not in ("postgres", "duckdb"):
        return []
    plain = {"onDelete": "no-action", "onUpdate": "no-action"}
    far = {"object.entity": {"name": "Far", "description": "far", "children": [
        {"source.rdb": {"schema": "other"}}, {"field.long": {"name": "id"}}, {"field.string": {"name": "s", "unique": True, "maxLength": 9}},
        {"field.enum": {"name": "e", "values": ["A", "B"], "description": "letter"}}, {"field.long": {"name": "up"}},
        {"identity.primary": {"fields": "id", "generation": "increment"}}, {"index.lookup": {"name": "far_up", "fields": ["up"]}},
        *([{"identity.reference": {"name": "r", "fields": "up", "references": "KeyintincrementTarget2", **plain}}] if dialect == "postgres" else [])]}}
    view = {"object.projection": {"name": "FarView", "children": [{"source.rdb": {"kind": "view", "view": "v_far", "schema": "other"}},
                                                                  {"field.long": {"name": "id", "extends": "Far.id"}}]}}
    return [far, entity("KeyintincrementTarget2", [], ("long", "increment")), view]


def object_rules(dialect):
    fields = [{"field.int": {"name": "a"}}, {"field.int": {"name": "b"}}, {"field.enum": {"name": "e", "values": ["A", "B"]}},
              {"field.boolean": {"name": "t"}}, {"field.string": {"name": "s"}}]
    out = [entity(f"Cmp{op}", fields + [{"validator.comparison": {"left": "a", "op": op, "right": "b"}}]) for op in ("eq", "ne", "gt", "gte", "lt", "lte")]
    for name in ("requiredWhen", "presentIff"):
        for when, equals in (("e", "A"), ("a", 3), ("t", True), ("s", "it's")):
            out.append(entity(f"{name.title()}{when}", fields + [{"validator." + name: {"field": "b", "when": when, "equals": equals}}]))
    out.append(entity("OneOf", fields + [{"validator.atLeastOne": {"fields": ["a", "b", "s"]}}]))
    out.append(entity("Twice", [{"field.int": {"name": "a", "children": [{"validator.numeric": {"min": 0}}, {"validator.numeric": {"max": 9}}]}}]))
    return out


def subtypes():
    base = entity("Vehicle", [{"field.enum": {"name": "kind", "values": ["CAR", "SHIP"], "required": True}}], discriminator="kind")
    car = {"object.entity": {"name": "Car", "extends": "Vehicle", "discriminatorValue": "CAR", "children": [
        {"field.int": {"name": "doors", "required": True, "children": [{"validator.numeric": {"min": 1}}]}},
        {"field.enum": {"name": "fuel", "values": ["GAS", "EV"]}}]}}
    ship = {"object.entity": {"name": "Ship", "extends": "Vehicle", "discriminatorValue": "SHIP", "children": [
        {"field.object": {"name": "hull", "objectRef": "Dims", "storage": "flattened"}}, {"field.string": {"name": "flag", "unique": True}},
        {"index.lookup": {"name": "ship_flag", "fields": ["flag"]}}]}}
    base_of_all = {"object.entity": {"name": "Audited", "abstract": True, "children": [
        {"field.timestamp": {"name": "made", "autoSet": "onCreate", "required": True}}, {"field.string": {"name": "who", "maxLength": 30}}]}}
    child = {"object.entity": {"name": "Invoice", "extends": "Audited", "children": [
        {"source.rdb": {}}, {"field.long": {"name": "id"}}, {"field.string": {"name": "who", "required": True}},
        {"identity.primary": {"fields": "id", "generation": "increment"}}]}}
    return [base, car, ship, base_of_all, child]


def views(dialect):
    plain = {"onDelete": "no-action", "onUpdate": "no-action"}
    port = entity("Port", [{"field.string": {"name": "code", "maxLength": 9, "required": True}}, {"field.decimal": {"name": "fee", "precision": 9, "scale": 2}},
                           {"relationship.association": {"name": "calls", "objectRef": "Call", "cardinality": "many"}}])
    call = entity("Call", [{"field.long": {"name": "portId", "required": True}}, {"field.int": {"name": "tons"}}, {"field.string": {"name": "note"}},
                           {"identity.reference": {"name": "atPort", "fields": "portId", "references": "Port", **plain}}])
    out = [port, call]
    number = 0

    def projection(base, columns, kind="view", **more):
        nonlocal number
        number += 1
        source = {"kind": kind, ("view" if kind == "view" else "materializedView"): f"v_{number}", **more}
        out.append({"object.projection": {"name": f"View{number}", "children": [{"source.rdb": source}, *columns]}})

    identity = [{"field.long": {"name": "id", "extends": "Port.id"}}]
    for kind in ("view", "materializedView") if dialect == "postgres" else ("view",):
        projection("Port", identity + [{"field.string": {"name": "code", "extends": "Port.code"}}, {"identity.primary": {"extends": "Port.primary"}}], kind)
        for agg, of, field in (("count", "Call.id", "long"), ("sum", "Call.tons", "long"), ("min", "Call.tons", "int"), ("max", "Call.tons", "int"),
                               ("avg", "Call.tons", "decimal")):
            more = {"precision": 9, "scale": 2} if field == "decimal" else {}
            for narrowed in ({}, {"filter": {"tons": {"gt": 3}}}, {"filter": {"note": "it's"}}):
                projection("Port", identity + [{"field." + field: {"name": "n", **more, "children": [
                    {"origin.aggregate": {"agg": agg, "of": of, "via": "Port.calls", **narrowed}}]}}], kind)
        projection("Call", [{"field.long": {"name": "id", "extends": "Call.id"}}, {"field.string": {"name": "code", "children": [
            {"origin.passthrough": {"from": "Port.code", "via": "Call.atPort"}}]}}], kind)
        projection("", [], kind, sql="SELECT id, code FROM ports WHERE code <> 'it''s'")
    return out


def documents(dialect, fields):
    dims = {"object.value": {"name": "Dims", "children": [{"field.int": {"name": "wide", "required": True}},
                                                          {"field.enum": {"name": "unit", "values": ["MM", "CM"], "default": "MM"}}]}}
    return [dims, *field_entities(fields), *index_entities(dialect), *key_entities(dialect), *name_entities(dialect), *schema_entities(dialect), *object_rules(dialect), *subtypes(),
            *views(dialect)]


class Place:
    def __init__(self, args, dbs):
        self.dialect, self.dbs = args.dialect, dbs
        self.home = Path(tempfile.mkdtemp(prefix="kconv"))
        self.env = dict(os.environ)
        self.file = self.home / "db.file"
        self.db = dbs.open(args.dialect, self.file, self.home)
        if args.dialect in ("postgres", "mysql"):
            self.env.update({key: str(value) for key, value in self.db.variables().items()})
            connection = self.db.connection()
        else:
            connection = {"connector": args.dialect, "path": str(self.file)}
        (self.home / "metadata").mkdir()
        self.write("project.yml", json.dumps({"name": "t", "version": "1.0.0", "migrate": {"target": "db", "dialect": args.dialect}}))
        self.connections = {"db": connection}
        self.write("connections.yml", json.dumps(self.connections))
        self.session = Session(args.session, self.env)

    def write(self, name, text):
        (self.home / name).write_text(text, encoding="utf-8")

    def kedge(self, *words):
        return self.session.ask({"argv": ["-C", str(self.home), *words]})

    def nothing_left(self, what, db="db"):
        answer = self.kedge("migrate", "--db", db, "--dry-run", "--format", "json")
        changes = json.loads(answer["out"])["changes"]
        assert answer["exit"] == 0 and not changes, f"{what}: {len(changes)} changes are left: {json.dumps(changes)[:2500]}{answer['err'][:600]}"
        answer = self.kedge("verify", "--db", db)
        assert answer["exit"] == 0, f"{what}: verify: {answer['out'][:1500]}{answer['err'][:600]}"

    def run(self, *words, **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
        assert done.returncode == 0, f"{words[0]}: {done.stderr[-1500:]}"
        return done.stdout

    def copy(self):
        """A copy by the engine's own dump and restore, as connection `copy`."""
        self.session.close()
        if self.dialect == "sqlite":
            other = self.home / "copy.file"
            self.run("sqlite3", other, input=self.run("sqlite3", self.file, ".dump"))
            self.connections["copy"] = {"connector": "sqlite", "path": str(other)}
        elif self.dialect == "duckdb":
            other = self.home / "copy.file"
            folder = self.home / "export"
            self.db.script(f"EXPORT DATABASE '{folder}' (FORMAT parquet);")
            self.dbs.open("duckdb", other, self.home).script(f"IMPORT DATABASE '{folder}';")
            self.connections["copy"] = {"connector": "duckdb", "path": str(other)}
        elif self.dialect == "postgres":
            server, other = self.db.server, self.dbs.open("postgres", None, None)
            where = ["-h", server.host, "-p", server.port, "-U", self.db.connection()["user"]]
            dump = self.run(Path(server.psql).with_name("pg_dump"), *where, self.db.name)
            other.script(dump)
            self.connections["copy"] = other.connection()
        else:
            server, other = self.db.server, self.dbs.open("mysql", None, None)
            tool = shutil.which("mariadb-dump") or shutil.which("mysqldump")
            env = {**os.environ, "MYSQL_PWD": self.env["KT_MY_PASSWORD"]}
            dump = self.run(tool, "--no-defaults", f"--socket={server.socket}", "-u", self.db.connection()["user"], self.db.name, env=env)
            other.script(dump)
            self.connections["copy"] = other.connection()
        self.write("connections.yml", json.dumps(self.connections))


def check(args, dbs):
    place = Place(args, dbs)
    try:
        fields = every_field(args.dialect)
        place.write("metadata/all.yml", json.dumps({"package": "t", "children": documents(args.dialect, fields)}))
        answer = place.kedge("migrate", "--db", "db", "--apply", "--format", "json")
        assert answer["exit"] == 0, "\n".join(line for line in answer["err"].splitlines() if "WARN_" not in line and "add index.lookup" not in line)[:3000]
        place.nothing_left("live")
        answer = place.kedge("migrate", "--dry-run", "--format", "json")
        assert answer["exit"] == 0 and not json.loads(answer["out"])["changes"], f"offline: {answer['out'][:2500]}"
        if args.dialect != "duckdb":  # its EXPORT leaves out comments, and so stamps, and keys of a table on itself
            place.copy()
            place.nothing_left("dumped and restored", "copy")
        replay = place.kedge("verify", "--replay-snapshot")
        assert replay["exit"] == 0, f"replayed: {replay['out'][:1500]}{replay['err'][:1500]}"
        restored = ", restored from a dump," if args.dialect != "duckdb" else ""
        print(f"convergence [{args.dialect}]: {len(fields)} combinations of a type and its attributes, live, offline{restored} and replayed")
    finally:
        place.session.close()
        shutil.rmtree(place.home, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--session", required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--duckdb-lib")
    args = parser.parse_args()
    dbs = Databases(str(Path(args.duckdb_lib).resolve()) if args.duckdb_lib else None)
    passed = failed = 0
    try:
        check(args, dbs)
        passed += 1
    except AssertionError as error:
        failed += 1
        print(f"FAIL convergence [{args.dialect}]: {error}")
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
