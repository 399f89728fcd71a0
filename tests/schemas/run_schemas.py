#!/usr/bin/env python3
"""What `kedge schema-files` writes, judged by an independent validator: every file of examples/ and
every valid project file of the cases is accepted, files with one mistake each are refused.
    run_schemas.py --kedge PATH"""
import argparse
import fnmatch
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KINDS = [("project", "project.yml"), ("connections", "connections.yml"), ("model", "models/*/*.yml"),
         ("metadata", "metadata/*.yml"), ("sidecar", "pipelines/configs/*.yml")]


class Loader(yaml.SafeLoader):
    """YAML 1.2 scalars, as kedge and editors read them: `on` and dates are texts."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in (("bool", r"^(true|false|True|False|TRUE|FALSE)$", "tfTF"),
                            ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
                            ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
                            ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", "-+.0123456789")):
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def kind_of(path):
    return next((kind for kind, pattern in KINDS if fnmatch.fnmatch(path, pattern)), None)


def example_files():
    for path in sorted((ROOT / "examples").rglob("*.yml")):
        inside = path.relative_to(ROOT / "examples")
        kind = kind_of("/".join(inside.parts[1:]))
        if kind:
            yield str(inside), kind, path.read_text()


# Model files that their case wants refused.
BROKEN = {("file-that-does-not-load", "sails"), ("ingest-whose-name-it-is", "lutes")}


def case_files():
    """Files that kedge itself loads: the first step of their case ends without a usage error."""
    for area in ("codegen", "contracts"):
        for path in sorted((ROOT / "tests/cases" / area).glob("*.yml")):
            case = yaml.safe_load(path.read_text())
            steps = case.get("steps") or [{}]
            if any(step.get("exit", 0) == 2 for step in steps):
                continue
            for name, text in (case.get("files") or {}).items():
                if kind_of(name) and isinstance(text, str):
                    yield f"{area}/{path.name}:{name}", kind_of(name), text
    for path in sorted((ROOT / "tests/cases/models").glob("*.yaml")):
        case = yaml.load(path.read_text(), Loader)
        for model in case.get("models") or []:
            if isinstance(model, dict) and (path.stem, model.get("name")) not in BROKEN:
                yield f"models/{path.name}:{model.get('name')}", "model", yaml.safe_dump(model)


INVALID = [
    ("project", "unknown key", "name: a\nversoin: '1'\n"),
    ("project", "wrong enum", "on_source_drift: sometimes\n"),
    ("project", "version is a number", "version: 1.0\n"),
    ("project", "boolean as text", "metadata: {strict: 'yes'}\n"),
    ("project", "unknown key below", "migrate: {ledger: {tabel: x}}\n"),
    ("project", "out of range", "engine: {chunk_rows: 0}\n"),
    ("project", "no duration", "migrate: {lock_timeout: soon}\n"),
    ("project", "target without pack", "gen: {targets: [{name: a, out: b}]}\n"),
    ("project", "not a mapping", "- name\n"),
    ("connections", "unknown connector", "a: {connector: sqllite, path: x}\n"),
    ("connections", "no connector", "a: {path: x}\n"),
    ("connections", "option of another connector", "a: {connector: sqlite, path: x, host: y}\n"),
    ("connections", "needed option", "a: {connector: postgres, host: x}\n"),
    ("connections", "port out of range", "a: {connector: mysql, host: x, database: y, port: 70000}\n"),
    ("connections", "wrong enum", "a: {connector: postgres, host: x, database: y, ssl_mode: maybe}\n"),
    ("connections", "wrong type", "a: {connector: sqlserver, host: x, database: y, encrypt: 1}\n"),
    ("connections", "name", "2nd: {connector: sqlite, path: x}\n"),
    ("connections", "both of odbc", "a: {connector: odbc, dsn: x, connection_string: y}\n"),
    ("connections", "key of files", "a: {connector: sqlite, path: x, entities: {t: {read: {header: true}}}}\n"),
    ("connections", "strategy", "a: {connector: sqlite, path: x, entities: {t: {write: {strategy: upsert}}}}\n"),
    ("connections", "column fact", "a: {connector: sqlite, path: x, entities: {t: {read: {columns: {c: {type: int, mini: 1}}}}}}\n"),
    ("model", "unknown key", "name: a\nsql_table: t\ncolums: []\n"),
    ("model", "no source", "name: a\n"),
    ("model", "two sources", "name: a\nsql_table: t\nsql: SELECT 1\n"),
    ("model", "no name", "sql_table: t\n"),
    ("model", "type", "name: a\nsql_table: t\ncolumns: [{name: b, type: VARCHAR}]\n"),
    ("model", "hidden is a text", "name: a\nsql_table: t\nhidden: 'no'\n"),
    ("model", "measure without formula", "name: a\nsql_table: t\nmeasures: [{name: b}]\n"),
    ("model", "join pairs", "name: a\nsql_table: t\njoins: [{target_model: b, join_pairs: [[x]]}]\n"),
    ("model", "join type", "name: a\nsql_table: t\njoins: [{target_model: b, join_pairs: [[x, y]], join_type: outer}]\n"),
    ("model", "granularity", "name: a\nsource_queries: [{source_model: m, time_dimensions: [{dimension: d, granularity: decade}]}]\n"),
    ("metadata", "unknown attribute", "children: [{object.entity: {name: A, children: [{field.string: {name: b, maxLen: 3}}]}}]\n"),
    ("metadata", "unknown subtype", "children: [{object.entity: {name: A, children: [{field.text: b}]}}]\n"),
    ("metadata", "unknown type", "children: [{thing.entity: {name: A}}]\n"),
    ("metadata", "attribute of another subtype", "children: [{object.entity: {name: A, children: [{field.int: {name: b, maxLength: 3}}]}}]\n"),
    ("metadata", "wrong type", "children: [{object.entity: {name: A, children: [{field.string: {name: b, maxLength: '3'}}]}}]\n"),
    ("metadata", "wrong enum", "children: [{object.entity: {name: A, children: [{identity.primary: {fields: a, generation: serial}}]}}]\n"),
    ("metadata", "child not allowed", "children: [{object.entity: {name: A, children: [{origin.computed: {}}]}}]\n"),
    ("metadata", "two keys", "children: [{object.entity: {name: A}, object.value: {name: B}}]\n"),
    ("sidecar", "unknown key", "pipeline: a\nmaterialisation: view\n"),
    ("sidecar", "no pipeline", "tags: [a]\n"),
    ("sidecar", "wrong enum", "pipeline: a\nmaterialization: cube\n"),
    ("sidecar", "unknown check", "pipeline: a\nchecks: [{not_nul: [a]}]\n"),
    ("sidecar", "check without its key", "pipeline: a\nchecks: [{pattern: {column: a}}]\n"),
    ("sidecar", "severity", "pipeline: a\nchecks: [{not_null: [a], severity: bad}]\n"),
    ("sidecar", "wrong type", "pipeline: a\nengine: fast\n"),
]


PLACES = {"project": "project.yml", "connections": "connections.yml", "model": "models/main/a.yml",
          "metadata": "metadata/a.yml", "sidecar": "pipelines/configs/a.yml"}
COMMANDS = {"model": "validate-models", "metadata": "model"}


def loader_refuses(kedge, kind, text):
    """The schema is no stricter than the loader: kedge names the file and ends with 2."""
    if kind == "project" and not text.startswith("-"):  # what validate asks for beside
        text = "".join(f"{key}: 'a'\n" for key in ("name", "version") if not re.search(f"(?m)^{key}:", text)) + text
    with tempfile.TemporaryDirectory() as name:
        files = {"project.yml": "name: a\nversion: 1.0.0\n", "connections.yml": "main: {connector: sqlite, path: x.db}\n",
                 "pipelines/a.sql": "SELECT 1 AS a", PLACES[kind]: text}
        for path, content in files.items():
            target = pathlib.Path(name) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
        sqlite3.connect(pathlib.Path(name) / "x.db").execute("CREATE TABLE t (a INTEGER)").connection.close()
        run = subprocess.run([kedge, COMMANDS.get(kind, "validate")], cwd=name, capture_output=True, text=True, timeout=60)
        return run.returncode == 2 and PLACES[kind] in run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    kedge = str(pathlib.Path(parser.parse_args().kedge).resolve())
    failures, passed, seen = [], 0, set()

    def judge(good, what):
        nonlocal passed
        passed += 1 if good else 0
        if not good:
            failures.append(what)

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kedge, "schema-files", "--out", "made"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        validators = {}
        for kind, _ in KINDS:
            schema = json.loads((pathlib.Path(folder) / "made" / f"{kind}.schema.json").read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            validators[kind] = jsonschema.Draft202012Validator(schema)
        subprocess.run([kedge, "init"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([kedge, "schema-files"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for name in ("project.yml", "connections.yml"):  # the line that init writes names a file that is there
            first = (pathlib.Path(folder) / name).read_text().splitlines()[0]
            judge((pathlib.Path(folder) / first.split("$schema=")[1]).is_file(), f"{name}: {first}")
    for name, kind, text in list(example_files()) + list(case_files()):
        try:
            document = yaml.load(text, Loader)
        except yaml.YAMLError:
            continue
        seen.add(kind)
        error = jsonschema.exceptions.best_match(validators[kind].iter_errors(document))
        judge(error is None, f"{name} is refused: {error and (list(error.absolute_path), error.message[:200])}")
    for kind, what, text in INVALID:
        judge(not validators[kind].is_valid(yaml.load(text, Loader)), f"{kind} with a mistake is accepted: {what}")
        judge(loader_refuses(kedge, kind, text), f"{kind}: only the schema refuses: {what}")
    judge(seen == {kind for kind, _ in KINDS}, f"no valid file of each kind, only {sorted(seen)}")
    for failure in failures:
        print("FAIL", failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


sys.exit(main())
