#!/usr/bin/env python3
"""Exported contracts against the published JSON schema of the Open Data Contract Standard, and back.

odcs.py --kedge PATH --schema FILE
The schema is fetched by `scripts/setup --test` (tools/odcs/packages.lock). Prints `N passed, N failed`.
"""
from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import yaml

PROJECT = "name: harbour\nversion: 1.2.0\n"
TYPES = ["boolean", "tinyint", "utinyint", "smallint", "usmallint", "integer", "uinteger", "bigint", "ubigint", "hugeint", "uhugeint", "float",
         "double", "decimal(12,3)", "decimal", "varchar", "varchar(11)", "blob", "date", "time", "timestamp", "timestamp_s", "timestamp_ms",
         "timestamp_ns", "timestamptz", "interval", "uuid", "json", "integer[]", "struct(a integer, \"B c\" varchar[])", "map(varchar, integer)",
         "enum('a', 'it''s')"]

# name: the entity's block in connections.yml
ENTITIES = {
    "types": {"read": {"columns": {f"c{i}": t for i, t in enumerate(TYPES)}}},
    "facts": {"read": {"columns": {
        "id": {"type": "bigint", "not_null": True, "unique": True, "min": 1, "max": 9007199254740993, "description": "key: of \"all\"\n# two lines",
               "tags": ["pii", "on"], "classification": "internal"},
        "code": {"type": "varchar(11)", "min_length": 2, "max_length": 9, "pattern": r"[A-Z]{4}\d{7}|'x'", "source": "Code No."},
        "note": {"type": "varchar", "max_length": 40, "accepted_values": ["full", "no", "1", "1.0", "null", ""], "optional": True},
        "kg": {"type": "decimal(38,9)", "min": "0.000000001", "max": "12345678901234567890123456789.123456789"},
        "part": {"type": "double", "min": -0.5, "max": 1e10},
        "day": {"type": "date", "min": "2020-01-01", "max": "2030-12-31"},
        "at": {"type": "timestamp", "min": "2020-01-01 00:00:00"},
        "hour": {"type": "time", "max": "23:00:00"},
        "flag": {"type": "boolean", "accepted_values": [True]},
        "who": {"type": "uuid", "pattern": "0.*"},
        "n": {"type": "integer", "accepted_values": [1, 2, 3]}}}},
    "expectations": {"read": {"columns": {"a": "bigint", "b": "timestamp", "c d": "varchar"}, "expect": {
        "row_count": {"min": 1, "max": 500}, "freshness": {"column": "b", "max_age": "90s"}, "unique": [["a", "b"], ["c d"]],
        "custom": [{"name": "none_left", "sql": "SELECT * FROM {{ this }} WHERE (a < 0)"}]}}},
    "at_least": {"read": {"columns": {"a": "bigint"}, "expect": {"row_count": {"min": 0}, "severity": "warn"}}},
    "at_most": {"read": {"columns": {"a": "bigint"}, "expect": {"row_count": {"max": 9}}}},
    "warned_facts": {"read": {"columns": {"a": {"type": "bigint", "not_null": True}}, "expect": {"severity": "warn"}}},
    "set_aside": {"read": {"columns": {"a": {"type": "bigint", "not_null": True}}, "expect": {"on_violation": "quarantine", "max_violations": "2%"}}},
    "merged": {"read": {"columns": {"b": "bigint", "a": "varchar(3)", "x": "date"}},
               "write": {"strategy": "merge", "keys": ["a", "b"], "schema_policy": "evolve"}},
    "settings": {"description": "what: \"it\" is", "tags": ["pii", "1.10"],
                 "read": {"query": "SELECT *\nFROM t WHERE x <> '${ODCS_LABEL}'", "sync": {"mode": "incremental", "cursor": "a"}, "extra_columns": "warn",
                          "on_source_drift": "fail", "columns": {"a": "integer"}, "retry": {"max_attempts": 2}},
                 "write": {"strategy": "merge", "keys": ["b", "a"], "columns": {"a": "integer", "b": {"type": "varchar(3)"}, "c": "date"}, "on_delete": "soft",
                           "expect": {"row_count": {"min": 0}}}},
    "appended": {"read": {"columns": {"a": "bigint"}}, "write": {"duplicates": "accept"}},
    "replaced": {"read": {"columns": {"a": "bigint"}}, "write": {"strategy": "replace"}},
    "yes": {"read": {"columns": {"no": "bigint", "on": "varchar", "null": "date", "1": "integer", "a: b": "integer", "Ünï 😀": "varchar"}}},
}
FILES = {
    "csv_file": {"read": {"path": "in/a*.csv", "format": "csv", "columns": {"a": "bigint"}}},
    "json_file": {"read": {"path": "b.json", "layout": "array", "columns": {"a": "bigint"}}},
    "other_csv": {"read": {"delimiter": ";", "header": False, "null_text": ["NULL", "1.10", ""], "columns": {"column0": "varchar"}},
                  "write": {"strategy": "replace", "path": "o.csv", "format": "csv"}},
}
CONNECTIONS = {
    "port": {"connector": "postgres", "host": "${ODCS_HOST}", "port": 5433, "database": "port", "user": "${ODCS_USER}", "password": "${ODCS_SECRET}",
             "entities": {"public." + name: block for name, block in ENTITIES.items()}},
    "yard": {"connector": "localfiles", "root": "yard", "entities": FILES},
    "shop": {"connector": "mysql", "host": "h", "database": "d", "entities": {"t": {"read": {"columns": {"a": "int"}}}}},
    "old": {"connector": "sqlserver", "host": "h", "database": "d", "entities": {"dbo.t": {"read": {"columns": {"a": "int"}}}}},
    "duck": {"connector": "duckdb", "path": "d.duckdb", "entities": {"t2": {"read": {"columns": {"a": "int"}}}}},
    "lite": {"connector": "sqlite", "path": "l.db", "entities": {"t3": {"read": {"columns": {"a": "int"}}}}},
    "any": {"connector": "odbc", "dsn": "${ODCS_SECRET}", "entities": {"t4": {"read": {"columns": {"a": "int"}}}}},
    "edge": {"connector": "d1", "database": "e", "entities": {"t5": {"read": {"columns": {"a": "int"}}}}},
}
VARIABLES = {"ODCS_HOST": "db.example", "ODCS_USER": "keeper", "ODCS_SECRET": "Kontor-7", "ODCS_LABEL": "Kontor-8"}


class Suite:
    def __init__(self, kedge, schema):
        self.kedge = kedge
        self.validator = jsonschema.Draft201909Validator(json.loads(Path(schema).read_text()), format_checker=jsonschema.FormatChecker())
        self.passed = self.failed = 0

    def judge(self, name, problems):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        if problems:
            print(f"FAIL {name}: {str(problems)[:900]}")

    def run(self, folder, *words, variables=VARIABLES):
        done = subprocess.run([self.kedge, "-C", folder, *words], capture_output=True, stdin=subprocess.DEVNULL,
                              env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **variables})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def errors(self, document):
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.validator.iter_errors(document)]


def project(folder: Path, connections):
    folder.mkdir()
    (folder / "project.yml").write_text(PROJECT)
    (folder / "connections.yml").write_text(yaml.safe_dump(connections, sort_keys=False, allow_unicode=True))
    return folder


def load(text):
    return yaml.load(text, yaml.BaseLoader)


def long_form(block):
    """The long form of an entity, every scalar as kedge reads it: as text."""
    read, write = block["read"], block.get("write")
    rest = {k: spoken(v) for k, v in read.items() if k not in ("columns", "expect")}
    return {**long_read(read), "read": rest, "description": block.get("description"), "tags": spoken(block.get("tags")),
            "write": None if write is None else spoken({"strategy": "append", "schema_policy": "fail_on_change", **write})}


def long_read(read):
    columns = {str(name): {k: spoken(v) for k, v in (c if isinstance(c, dict) else {"type": c}).items()} for name, c in read["columns"].items()}
    return {"columns": columns, "expect": spoken(read.get("expect") or {})}


def spoken(value):
    if isinstance(value, dict):
        return {k: spoken(v) for k, v in value.items()}
    if isinstance(value, list):
        return [spoken(v) for v in value]
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value).lower().replace("int4", "integer")
    text = "integer" if text == "int" else "decimal(38,9)" if text == "decimal" else text
    try:
        return float(text) if len(text) < 16 and text.lower() not in ("nan", "inf", "infinity") else text
    except ValueError:
        return text


def plain(block):
    """A document without what names the connection that it came from."""
    text = json.loads(json.dumps(block))
    for item in text.get("schema", []):
        item["customProperties"] = [p for p in item.get("customProperties", []) if p["property"] != "kedge.connection"]
    return text


def must_differ(suite, first, again, text):
    """Every setting of the block that changes is told by diff."""
    block = yaml.safe_load((again / "connections.yml").read_text())["to"]["entities"]["public.settings"]
    edits = {"query": ("read", "query", "SELECT 1 AS a"), "sync": ("read", "sync", None), "extra_columns": ("read", "extra_columns", "fail"), "keys": ("write", "keys", ["a"]),
             "on_delete": ("write", "on_delete", "delete"), "columns": ("write", "columns", {"a": "integer", "b": "varchar"})}
    breaking = {"extra_columns", "keys", "on_delete", "columns"}
    words = {"columns": "write: column 'c' removed"}
    (again / "same.yml").write_text(yaml.safe_dump({"to": {"connector": "sqlite", "path": "x.db", "entities": {"public.settings": block}}}))
    code, out, err = suite.run(again, "contract", "diff", "same.yml", "connections.yml")
    suite.judge("diff of the same settings", [] if code == 0 and "no differences" in out else [code, out, err])
    for name, (part, key, value) in edits.items():
        other = copy.deepcopy(block)
        if value is None:
            del other[part][key]
        else:
            other[part][key] = value
        (again / "other.yml").write_text(yaml.safe_dump({"to": {"connector": "sqlite", "path": "x.db", "entities": {"public.settings": other}}}))
        code, out, err = suite.run(again, "contract", "diff", "same.yml", "other.yml")
        suite.judge(f"diff tells {name}", [] if code == (name in breaking) and words.get(name, f"{part}: {name}") in out else [code, out, err])


def must_warn(suite, folder):
    """What an import leaves out is listed with its path, and counts under --strict."""
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: '1'\nstatus: active\nschema:\n"
    for name, schema, warning in (
            ("no name", "  - {name: t, properties: [{name: a, logicalType: integer}, {logicalType: string}]}", "schema[0].properties[1]"),
            ("format", "  - {name: t, properties: [{name: a, logicalType: string, logicalTypeOptions: {format: email}}]}", "schema[0].properties[0].logicalTypeOptions.format"),
            ("physicalType", "  - {name: t, properties: [{name: a, logicalType: integer, physicalType: NUMBER(5)}]}", "schema[0].properties[0].physicalType"),
            ("property key", "  - {name: t, properties: [{name: a, logicalType: integer, examples: [1]}]}", "schema[0].properties[0].examples"),
            ("object key", "  - {name: t, businessName: b, properties: [{name: a, logicalType: integer}]}", "schema[0].businessName"),
            ("custom", "  - {name: t, customProperties: [{property: theirs, value: 1}], properties: [{name: a, logicalType: integer}]}", "schema[0].customProperties[0]")):
        (folder / "c.yml").write_text(head + schema + "\n")
        code, out, err = suite.run(folder, "contract", "import", "c.yml", "--connection", "to", "--strict")
        suite.judge(f"import warns: {name}", [] if code == 1 and warning in err and "a:" in out and '"":' not in out else [code, out, err])
    code, out, err = suite.run(folder, "contract", "import", "c.yml", "--connection", "nope")
    suite.judge("import into an unknown connection", [] if code == 2 and "PZ0820" in err and not out else [code, out, err])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--schema", required=True)
    args = parser.parse_args()
    suite = Suite(os.path.abspath(args.kedge), args.schema)
    with tempfile.TemporaryDirectory(prefix="kedge-odcs-") as name:
        root = Path(name)
        first = project(root / "a", CONNECTIONS)

        code, out, err = suite.run(first, "validate")
        suite.judge("the project is valid", [] if code == 0 else err)
        for words in ((), ("--servers",)):
            code, out, err = suite.run(first, "contract", "export", *words)
            document = yaml.safe_load(out)
            suite.judge(f"export {words} ends well", [] if code == 0 else err)
            suite.judge(f"export {words} is valid", suite.errors(document))
            suite.judge(f"export {words} holds no secret", [s for s in ("Kontor-7", "Kontor-8", "keeper") if s in out])
            suite.judge(f"export {words} hosts", [] if ("db.example" in out) == bool(words) else "host")
            suite.judge(f"export {words} is complete", [] if len(document["schema"]) == sum(len(c["entities"]) for c in CONNECTIONS.values()) else "entities")
        code, out, err = suite.run(first, "contract", "export", variables={"ODCS_LABEL": "any"})
        suite.judge("export needs no secret", [] if code == 0 else err)

        # Entity by entity: export, import into a fresh project, export again.
        for connection, settings in CONNECTIONS.items():
            for entity in settings["entities"]:
                label = f"{connection}.{entity}"
                code, text, err = suite.run(first, "contract", "export", label)
                suite.judge(f"{label}: export alone", [] if code == 0 else err)
                suite.judge(f"{label}: valid", suite.errors(yaml.safe_load(text)))
                kind = {"connector": "localfiles", "root": "x"} if settings["connector"] == "localfiles" else {"connector": "sqlite", "path": "x.db"}
                again = project(root / f"{label}", {"# comment": None} and {"to": kind})
                (again / "c.yml").write_text(text)
                code, out, err = suite.run(again, "contract", "import", "c.yml", "--connection", "to", "--write", "--strict")
                suite.judge(f"{label}: import", [] if code == 0 else err)
                code, out, err = suite.run(again, "validate")
                suite.judge(f"{label}: imported is valid", [] if code == 0 else err)
                code, back, err = suite.run(again, "contract", "export")
                suite.judge(f"{label}: round trip", [] if code == 0 and plain(load(back)) == plain(load(text)) else differing(load(text), load(back)) or err)
                was, now = settings["entities"][entity], yaml.safe_load((again / "connections.yml").read_text())["to"]["entities"][entity]
                suite.judge(f"{label}: the same block", differing(long_form(was), long_form(now)))
                if entity == "public.settings":
                    must_differ(suite, first, again, text)
        # A document of somebody else with an object twice.
        twice = project(root / "twice", {"to": {"connector": "sqlite", "path": "x.db"}})
        (twice / "c.yml").write_text("apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: '1'\nstatus: active\nschema:\n"
                                     "  - {name: t, properties: [{name: a, logicalType: integer}]}\n  - {name: t, properties: [{name: b, logicalType: integer}]}\n")
        code, out, err = suite.run(twice, "contract", "import", "c.yml", "--connection", "to", "--strict")
        suite.judge("an object that is there twice is said", [] if code == 1 and "schema[1]" in err and "a:" in out else [code, err, out])
        must_warn(suite, twice)
        # What the schema refuses must not be what kedge writes: the validator itself is alive.
        suite.judge("the validator refuses", [] if suite.errors({"kind": "DataContract"}) else "nothing refused")
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 0 if suite.passed and not suite.failed else 1


def differing(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in {**a, **b} for d in differing(a.get(k), b.get(k), f"{path}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differing(x, y, f"{path}/{i}")]
    return [] if a == b or "kedge.connection" in str(a) + str(b) else [f"{path}: {a!r} != {b!r}"]


if __name__ == "__main__":
    sys.exit(main())
