#!/usr/bin/env python3
"""What metadata declares the database itself refuses: for each kind of constraint a row that breaks it alone is refused, and the same row
without the breach is accepted. Asked of the engine by its own client, not of kedge.

usage: run_enforced.py --kedge PATH --dialect sqlite|postgres|mysql|duckdb [--duckdb-lib FILE]
Last line: N passed, N failed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases, SqlError, Sqlite  # noqa: E402

ALL = ("postgres", "sqlite", "mysql", "duckdb")
TYPED = ("postgres", "mysql", "duckdb")  # sqlite takes any value in any column
PLAIN = {"onDelete": "no-action", "onUpdate": "no-action"}


def entity(name, *children, key="int", generation=None, **more):
    return {"object.entity": {"name": name, **more, "children": [
        {"source.rdb": {}}, {"field." + key: {"name": "id"}}, *children,
        {"identity.primary": {"fields": "id", **({"generation": generation} if generation else {})}}]}}


def field(kind, name, **more):
    return {"field." + kind: {"name": name, **more}}


def check(kind, **more):
    return {"validator." + kind: more}


DIMS = {"object.value": {"name": "Dims", "children": [field("int", "wide", required=True), field("enum", "unit", values=["MM", "CM"])]}}

# One rule: name, dialects, declarations, statements that set the stage, what is accepted, what is refused.
RULES = [
    ("primary key", ALL, [entity("Alpha")], [], "INSERT INTO alphas (id) VALUES (2)", "INSERT INTO alphas (id) VALUES (1)", "INSERT INTO alphas (id) VALUES (1)"),
    ("primary key of two", ALL, [{"object.entity": {"name": "Pair", "children": [
        {"source.rdb": {}}, field("int", "a"), field("string", "b", maxLength=9), {"identity.primary": {"fields": ["a", "b"]}}]}}],
     [], "INSERT INTO pairs (a, b) VALUES (1, 'y')", "INSERT INTO pairs (a, b) VALUES (1, 'x')", "INSERT INTO pairs (a, b) VALUES (1, 'x')"),
    ("key is never NULL", ALL, [{"object.entity": {"name": "Pair", "children": [
        {"source.rdb": {}}, field("int", "a"), field("int", "b"), {"identity.primary": {"fields": ["a", "b"]}}]}}],
     [], "INSERT INTO pairs (a, b) VALUES (1, 2)", "INSERT INTO pairs (a, b) VALUES (1, NULL)", None),
    ("required", ALL, [entity("Alpha", field("string", "s", required=True))], [], "INSERT INTO alphas (id, s) VALUES (1, '')",
     "INSERT INTO alphas (id, s) VALUES (1, NULL)", None),
    ("validator.required", ALL, [entity("Alpha", field("int", "n", children=[check("required")]))], [], "INSERT INTO alphas (id, n) VALUES (1, 0)",
     "INSERT INTO alphas (id, n) VALUES (1, NULL)", None),
    ("unique", ALL, [entity("Alpha", field("string", "s", unique=True, maxLength=9))], [], "INSERT INTO alphas (id, s) VALUES (2, 'y')",
     "INSERT INTO alphas (id, s) VALUES (2, 'x')", "INSERT INTO alphas (id, s) VALUES (1, 'x')"),
    ("secondary of two", ALL, [entity("Alpha", field("int", "a"), field("int", "b"), {"identity.secondary": {"name": "two", "fields": ["a", "b"]}})], [],
     "INSERT INTO alphas (id, a, b) VALUES (2, 1, 3)", "INSERT INTO alphas (id, a, b) VALUES (2, 1, 2)", "INSERT INTO alphas (id, a, b) VALUES (1, 1, 2)"),
    ("secondary with where", ("postgres", "sqlite"), [entity("Alpha", field("int", "a"), field("boolean", "live"),
                                                             {"identity.secondary": {"name": "part", "fields": ["a"], "where": "a > 10"}})], [],
     "INSERT INTO alphas (id, a) VALUES (3, 5)", "INSERT INTO alphas (id, a) VALUES (3, 11)",
     "INSERT INTO alphas (id, a) VALUES (1, 5); INSERT INTO alphas (id, a) VALUES (2, 11)"),
    ("secondary on an expression", ("postgres", "sqlite", "duckdb"), [entity("Alpha", field("string", "s"), {"identity.secondary": {"name": "low", "expr": "lower(s)"}})],
     [], "INSERT INTO alphas (id, s) VALUES (2, 'B')", "INSERT INTO alphas (id, s) VALUES (2, 'A')", "INSERT INTO alphas (id, s) VALUES (1, 'a')"),
    ("secondary with NULLs not distinct", ("postgres",), [entity("Alpha", field("int", "a"), {"identity.secondary": {"name": "nn", "fields": ["a"], "nullsNotDistinct": True}})],
     [], "INSERT INTO alphas (id, a) VALUES (2, 1)", "INSERT INTO alphas (id, a) VALUES (2, NULL)", "INSERT INTO alphas (id, a) VALUES (1, NULL)"),
    ("reference", ALL, [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {"name": "r", "fields": "p", "references": "Port", **PLAIN}})], [],
     "INSERT INTO calls (id, p) VALUES (1, 1)", "INSERT INTO calls (id, p) VALUES (1, 9)", "INSERT INTO ports (id) VALUES (1)"),
    ("reference holds its target", ALL, [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {"name": "r", "fields": "p", "references": "Port", **PLAIN}})],
     [], "DELETE FROM ports WHERE id = 2", "DELETE FROM ports WHERE id = 1",
     "INSERT INTO ports (id) VALUES (1); INSERT INTO ports (id) VALUES (2); INSERT INTO calls (id, p) VALUES (1, 1)"),
    ("reference of two columns", ALL, [
        {"object.entity": {"name": "Pair", "children": [{"source.rdb": {}}, field("int", "a"), field("int", "b"), {"identity.primary": {"fields": ["a", "b"]}}]}},
        entity("Call", field("int", "a"), field("int", "b"), {"identity.reference": {"name": "r", "fields": ["a", "b"], "references": "Pair", **PLAIN}})], [],
     "INSERT INTO calls (id, a, b) VALUES (1, 1, 2)", "INSERT INTO calls (id, a, b) VALUES (1, 2, 1)", "INSERT INTO pairs (a, b) VALUES (1, 2)"),
    ("reference to itself", ALL, [entity("Node", field("int", "up"), {"identity.reference": {"name": "r", "fields": "up", "references": "Node", **PLAIN}})], [],
     "INSERT INTO nodes (id, up) VALUES (2, 1)", "INSERT INTO nodes (id, up) VALUES (2, 9)", "INSERT INTO nodes (id, up) VALUES (1, NULL)"),
    ("restrict", ("postgres", "sqlite", "mysql"), [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {
        "name": "r", "fields": "p", "references": "Port", "onDelete": "restrict", "onUpdate": "no-action"}})], [], "DELETE FROM ports WHERE id = 2",
     "DELETE FROM ports WHERE id = 1", "INSERT INTO ports (id) VALUES (1); INSERT INTO ports (id) VALUES (2); INSERT INTO calls (id, p) VALUES (1, 1)"),
    ("enum", ALL, [entity("Alpha", field("enum", "e", values=["IN", "OUT"]))], [], "INSERT INTO alphas (id, e) VALUES (1, 'OUT')",
     "INSERT INTO alphas (id, e) VALUES (1, 'UP')", None),
    ("enum takes NULL when not required", ALL, [entity("Alpha", field("enum", "e", values=["IN", "OUT"]))], [], "INSERT INTO alphas (id, e) VALUES (1, NULL)",
     "INSERT INTO alphas (id, e) VALUES (1, '')", None),
    ("enum of integers", ALL, [entity("Alpha", field("enum", "e", values=["IN", "OUT"], intValueMap={"IN": 3, "OUT": 7}))], [],
     "INSERT INTO alphas (id, e) VALUES (1, 7)", "INSERT INTO alphas (id, e) VALUES (1, 4)", None),
    ("numeric minimum", ALL, [entity("Alpha", field("int", "n", children=[check("numeric", min=-5)]))], [], "INSERT INTO alphas (id, n) VALUES (1, -5)",
     "INSERT INTO alphas (id, n) VALUES (1, -6)", None),
    ("numeric maximum", ALL, [entity("Alpha", field("decimal", "n", precision=6, scale=2, children=[check("numeric", min=0, max=100)]))], [],
     "INSERT INTO alphas (id, n) VALUES (1, 100)", "INSERT INTO alphas (id, n) VALUES (1, 100.01)", None),
    ("length", ALL, [entity("Alpha", field("string", "s", children=[check("length", min=2, max=4)]))], [], "INSERT INTO alphas (id, s) VALUES (1, 'äöüß')",
     "INSERT INTO alphas (id, s) VALUES (1, 'äöüßx')", None),
    ("length minimum", ALL, [entity("Alpha", field("string", "s", children=[check("length", min=2)]))], [], "INSERT INTO alphas (id, s) VALUES (1, 'ab')",
     "INSERT INTO alphas (id, s) VALUES (1, 'a')", None),
    ("regex", TYPED, [entity("Alpha", field("string", "s", children=[check("regex", pattern="^[A-Z]+\\d$")]))], [], "INSERT INTO alphas (id, s) VALUES (1, 'AB1')",
     "INSERT INTO alphas (id, s) VALUES (1, 'AB')", None),
    ("maxLength", ("postgres", "mysql"), [entity("Alpha", field("string", "s", maxLength=3))], [], "INSERT INTO alphas (id, s) VALUES (1, 'abc')",
     "INSERT INTO alphas (id, s) VALUES (1, 'abcd')", None),
    ("precision", TYPED, [entity("Alpha", field("decimal", "n", precision=4, scale=2))], [], "INSERT INTO alphas (id, n) VALUES (1, 99.99)",
     "INSERT INTO alphas (id, n) VALUES (1, 100)", None),
    ("type of an int", TYPED, [entity("Alpha", field("int", "n"))], [], "INSERT INTO alphas (id, n) VALUES (1, 5)", "INSERT INTO alphas (id, n) VALUES (1, 'five')", None),
    ("type of a date", TYPED, [entity("Alpha", field("date", "d"))], [], "INSERT INTO alphas (id, d) VALUES (1, '2027-02-28')",
     "INSERT INTO alphas (id, d) VALUES (1, '2027-02-30')", None),
    ("type of a uuid", ("postgres", "duckdb"), [entity("Alpha", field("uuid", "u"))], [], "INSERT INTO alphas (id, u) VALUES (1, '0b2f6a54-43a5-4d3d-8a55-0e2b9d6f4c11')",
     "INSERT INTO alphas (id, u) VALUES (1, 'no')", None),
    ("type of json", TYPED, [entity("Alpha", field("map", "m", valueType="int"))], [], "INSERT INTO alphas (id, m) VALUES (1, '{\"a\": 1}')",
     "INSERT INTO alphas (id, m) VALUES (1, '{a')", None),
    ("comparison", ALL, [entity("Alpha", field("int", "low"), field("int", "high"), check("comparison", left="low", op="lte", right="high"))], [],
     "INSERT INTO alphas (id, low, high) VALUES (1, 2, 2)", "INSERT INTO alphas (id, low, high) VALUES (1, 3, 2)", None),
    ("required when", ALL, [entity("Alpha", field("string", "s"), field("enum", "e", values=["IN", "OUT"]),
                                   check("requiredWhen", field="s", when="e", equals="OUT"))], [], "INSERT INTO alphas (id, s, e) VALUES (1, NULL, 'IN')",
     "INSERT INTO alphas (id, s, e) VALUES (1, NULL, 'OUT')", None),
    ("required when, of NULL", ALL, [entity("Alpha", field("string", "s"), field("int", "n"), check("requiredWhen", field="s", when="n", equals=3))], [],
     "INSERT INTO alphas (id, s, n) VALUES (1, NULL, NULL)", "INSERT INTO alphas (id, s, n) VALUES (1, NULL, 3)", None),
    ("present if and only if", ALL, [entity("Alpha", field("string", "s"), field("int", "n"), check("presentIff", field="s", when="n", equals=3))], [],
     "INSERT INTO alphas (id, s, n) VALUES (1, 'x', 3)", "INSERT INTO alphas (id, s, n) VALUES (1, 'x', 4)", None),
    ("absent if not", ALL, [entity("Alpha", field("string", "s"), field("int", "n"), check("presentIff", field="s", when="n", equals=3))], [],
     "INSERT INTO alphas (id, s, n) VALUES (1, NULL, NULL)", "INSERT INTO alphas (id, s, n) VALUES (1, 'x', NULL)", None),
    ("at least one", ALL, [entity("Alpha", field("string", "s"), field("int", "n"), check("atLeastOne", fields=["s", "n"]))], [],
     "INSERT INTO alphas (id, s) VALUES (1, 'x')", "INSERT INTO alphas (id, s) VALUES (1, NULL)", None),
    ("flattened value, required", ALL, [entity("Alpha", field("object", "d", objectRef="Dims", storage="flattened", required=True))], [],
     "INSERT INTO alphas (id, d_wide) VALUES (1, 4)", "INSERT INTO alphas (id, d_wide) VALUES (1, NULL)", None),
    ("flattened value, may be absent", ALL, [entity("Alpha", field("object", "d", objectRef="Dims", storage="flattened"))], [],
     "INSERT INTO alphas (id, d_wide, d_unit) VALUES (1, NULL, NULL)", "INSERT INTO alphas (id, d_wide, d_unit) VALUES (1, 1, 'KM')", None),
    ("subtype: member", ALL, [entity("Vehicle", field("enum", "kind", values=["CAR", "SHIP"], required=True), discriminator="kind"),
                              {"object.entity": {"name": "Car", "extends": "Vehicle", "discriminatorValue": "CAR", "children": [
                                  field("enum", "fuel", values=["GAS", "EV"]), field("int", "doors", children=[check("numeric", min=1)])]}}], [],
     "INSERT INTO vehicles (id, kind, fuel) VALUES (1, 'SHIP', NULL)", "INSERT INTO vehicles (id, kind, fuel) VALUES (1, 'CAR', 'COAL')", None),
    ("subtype: range", ALL, [entity("Vehicle", field("enum", "kind", values=["CAR", "SHIP"], required=True), discriminator="kind"),
                             {"object.entity": {"name": "Car", "extends": "Vehicle", "discriminatorValue": "CAR", "children": [
                                 field("int", "doors", children=[check("numeric", min=1)])]}}], [],
     "INSERT INTO vehicles (id, kind, doors) VALUES (1, 'SHIP', NULL)", "INSERT INTO vehicles (id, kind, doors) VALUES (1, 'CAR', 0)", None),
    ("subtype: discriminator", ALL, [entity("Vehicle", field("enum", "kind", values=["CAR", "SHIP"], required=True), discriminator="kind"),
                                     {"object.entity": {"name": "Car", "extends": "Vehicle", "discriminatorValue": "CAR", "children": [field("int", "doors")]}}], [],
     "INSERT INTO vehicles (id, kind) VALUES (1, 'SHIP')", "INSERT INTO vehicles (id, kind) VALUES (1, 'TRAIN')", None),
    ("subtype: required", ALL, [entity("Vehicle", field("enum", "kind", values=["CAR", "SHIP"], required=True), discriminator="kind"),
                                {"object.entity": {"name": "Car", "extends": "Vehicle", "discriminatorValue": "CAR", "children": [
                                    field("int", "doors", required=True)]}}], ["tph_required_checks"],
     "INSERT INTO vehicles (id, kind, doors) VALUES (1, 'SHIP', NULL)", "INSERT INTO vehicles (id, kind, doors) VALUES (1, 'CAR', NULL)", None),
    ("members of a list", ("postgres",), [entity("Alpha", field("enum", "e", values=["IN", "OUT"], isArray=True))], ["array_enum_checks"],
     "INSERT INTO alphas (id, e) VALUES (1, '{IN,OUT}')", "INSERT INTO alphas (id, e) VALUES (1, '{IN,UP}')", None),
]

# What the engine does by itself: declarations, statements, a query, its rows.
EFFECTS = [
    ("cascade", ("postgres", "sqlite", "mysql"), [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {
        "name": "r", "fields": "p", "references": "Port", "onDelete": "cascade", "onUpdate": "cascade"}})],
     ["INSERT INTO ports (id) VALUES (1), (2)", "INSERT INTO calls (id, p) VALUES (1, 1), (2, 2)", "DELETE FROM ports WHERE id = 1",
      "UPDATE ports SET id = 5 WHERE id = 2"], "SELECT id, p FROM calls", [["2", "5"]]),
    ("set-null", ("postgres", "sqlite", "mysql"), [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {
        "name": "r", "fields": "p", "references": "Port", "onDelete": "set-null", "onUpdate": "no-action"}})],
     ["INSERT INTO ports (id) VALUES (1)", "INSERT INTO calls (id, p) VALUES (1, 1)", "DELETE FROM ports WHERE id = 1"], "SELECT id, p IS NULL FROM calls", None),
    ("defaults", ALL, [entity("Alpha", field("string", "s", default="it's"), field("int", "n", default=7), field("enum", "e", values=["A", "B"], default="B"),
                              field("timestamp", "t", autoSet="onCreate", required=True))],
     ["INSERT INTO alphas (id) VALUES (1)"], "SELECT s, n, e FROM alphas WHERE t IS NOT NULL", [["it's", "7", "B"]]),
    ("increment", ALL, [entity("Alpha", field("string", "s"), key="long", generation="increment")],
     ["INSERT INTO alphas (s) VALUES ('a')", "INSERT INTO alphas (s) VALUES ('b')", "DELETE FROM alphas WHERE s = 'b'", "INSERT INTO alphas (s) VALUES ('c')"],
     "SELECT count(*), count(DISTINCT id), max(id) FROM alphas", [["2", "2", "3"]]),
    ("uuid", ALL, [entity("Alpha", field("string", "s"), key="uuid", generation="uuid")],
     ["INSERT INTO alphas (s) VALUES ('a')", "INSERT INTO alphas (s) VALUES ('b')"], "SELECT count(DISTINCT id) FROM alphas WHERE id IS NOT NULL", [["2"]]),
    ("deferred reference", ("postgres", "sqlite"), [entity("Port"), entity("Call", field("int", "p"), {"identity.reference": {
        "name": "r", "fields": "p", "references": "Port", "deferrable": True, "initiallyDeferred": True, **PLAIN}})],
     ["BEGIN; INSERT INTO calls (id, p) VALUES (1, 1); INSERT INTO ports (id) VALUES (1); COMMIT"], "SELECT count(*) FROM calls", [["1"]]),
]


class Place:
    def __init__(self, args, dbs, children, switches=()):
        self.folder = Path(tempfile.mkdtemp(prefix="kenf"))
        self.file, self.dialect = self.folder / "db.file", args.dialect
        self.db = dbs.open(args.dialect, self.file, self.folder)
        env = dict(os.environ)
        if args.dialect in ("postgres", "mysql"):
            connection = self.db.connection()
            env.update({key: str(value) for key, value in self.db.variables().items()})
        else:
            connection = {"connector": args.dialect, "path": "db.file"}
        (self.folder / "metadata").mkdir()
        project = {"name": "t", "version": "1.0.0", "migrate": {"target": "db", "dialect": args.dialect}, "metadata": {one: True for one in switches}}
        for name, value in (("project.yml", project), ("connections.yml", {"db": connection}),
                            ("metadata/all.yml", {"package": "t", "children": [DIMS, *children]})):
            (self.folder / name).write_text(json.dumps(value), encoding="utf-8")
        done = subprocess.run([args.kedge, "-C", str(self.folder), "migrate", "--db", "db", "--apply"], capture_output=True, text=True, env=env, timeout=120)
        assert done.returncode == 0, done.stderr[-1500:]
        if args.dialect == "sqlite":
            self.db = Sqlite(self.file, True)

    def close(self):
        self.db.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def rule(args, dbs, one):
    name, _, children, switches, good, bad, stage = one
    place = Place(args, dbs, children, switches)
    try:
        for statement in stage.split("; ") if stage else []:
            place.db.script(statement + ";")
        refused = place.db.attempt(bad, keep=True)
        assert refused, f"{name}: accepted: {bad}"
        accepted = place.db.attempt(good, keep=True)
        assert accepted is None, f"{name}: refused: {good}: {accepted}"
    finally:
        place.close()


def effect(args, dbs, one):
    name, _, children, statements, query, wanted = one
    place = Place(args, dbs, children)
    try:
        for statement in statements:
            place.db.script(statement + ";")
        rows = [[str(value) for value in row] for row in place.db.query(query)[1]]
        if wanted is None:
            wanted = [["1", "t"]] if args.dialect == "postgres" else [["1", "1"]]
        assert rows == wanted, f"{name}: {rows}, not {wanted}"
    finally:
        place.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--duckdb-lib")
    args = parser.parse_args()
    args.kedge = str(Path(args.kedge).resolve())
    dbs = Databases(str(Path(args.duckdb_lib).resolve()) if args.duckdb_lib else None)
    passed = failed = 0
    try:
        for run, what in ((rule, RULES), (effect, EFFECTS)):
            for one in what:
                if args.dialect not in one[1]:
                    continue
                try:
                    run(args, dbs, one)
                    passed += 1
                except (AssertionError, SqlError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"FAIL enforced [{args.dialect}] {one[0]}: {str(error)[:1500]}")
                sys.stdout.flush()
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
