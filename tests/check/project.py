"""The healthy project of run_check.py: the harbour example with models, contracts, generated files, docs and
a chain of migrations, over sqlite (managed: harbour, unmanaged: yard), duckdb and csv files."""
import pathlib
import shutil
import sqlite3
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent.parent

YARD = """
CREATE TABLE crates (id INTEGER PRIMARY KEY, lot_id INTEGER, kg DOUBLE, packed DATE, state TEXT, label TEXT);
CREATE TABLE lots (id INTEGER PRIMARY KEY, code TEXT, region TEXT);
CREATE TABLE bins (id INTEGER PRIMARY KEY, size INTEGER);
CREATE TABLE pallets (id INTEGER PRIMARY KEY, height DOUBLE);
CREATE TABLE scales (id INTEGER PRIMARY KEY, at DATETIME, reading DOUBLE, unit TEXT);
INSERT INTO crates VALUES (1, 1, 2.5, '2027-01-02', 'here', 'a'), (2, 1, 3.5, '2027-01-03', 'gone', 'b');
INSERT INTO lots VALUES (1, 'L1', 'north');
INSERT INTO scales VALUES (1, '2027-01-02 10:00:00', 2.5, 'kg');
"""

MODELS = {
    "crates": """name: crates
sql_table: crates
columns:
  - {name: id, type: INT, primary_key: true}
  - {name: lot_id, type: INT}
  - {name: kg, type: DOUBLE}
  - {name: tons, sql: kg / 1000, type: DOUBLE}
  - {name: packed, type: DATE}
  - {name: state, type: TEXT}
  - {name: label, type: TEXT}
measures:
  - {name: total_kg, formula: "kg:sum"}
  - {name: double_kg, formula: "total_kg * 2"}
filters: ["state <> 'gone'"]
default_time_dimension: packed
joins:
  - {target_model: lots, join_pairs: [[lot_id, id]]}
""",
    "lots": """name: lots
sql_table: lots
columns:
  - {name: id, type: INT, primary_key: true}
  - {name: code, type: TEXT}
  - {name: region, type: TEXT}
""",
    "bins": "name: bins\nsql_table: bins\ncolumns:\n  - {name: id, type: INT, primary_key: true}\n  - {name: size, type: INT}\n",
    "tall": "name: tall\nsql: SELECT p.id, p.height AS tallness FROM pallets p WHERE p.height > 2\n"
            "columns:\n  - {name: id, type: INT}\n  - {name: tallness, type: DOUBLE}\n",
    "by_region": """name: by_region
source_queries:
  - {name: base, source_model: lots, dimensions: [region], measures: ["*:count"]}
  - {source_model: base, dimensions: [region], measures: [{formula: "_count:sum", name: many}]}
""",
}

CONNECTIONS = """
# A database that nobody here manages: models and contracts look at it.
yard:
  connector: sqlite
  path: data/yard.sqlite
  entities:
    scales:
      read:
        columns: {id: bigint, at: timestamp, reading: double, unit: varchar}
        sync: {mode: incremental, cursor: at}
"""

METADATA = """package: harbour
children:
  - object.entity:
      name: Pilot
      children:
        - source.rdb: {}
        - field.long: id
        - field.string: { name: license, required: true, maxLength: 12 }
        - field.string: { name: phone, maxLength: 20 }
        - field.int: { name: grade, required: true, default: 3 }
        - identity.primary: { fields: id, generation: increment }
"""


PROJECT = """name: harbour
version: 1.0.0
on_source_drift: warn
metadata:
  sources:
    - path: metadata
migrate:
  target: harbour
  dialect: sqlite
templates: {}
gen:
  targets:
    - {name: service, pack: cpp, out: src/gen, options: {namespace: harbour}}
"""


class Failed(Exception):
    pass


def kedge_run(kedge, project, *arguments):
    return subprocess.run([kedge, "-C", str(project), *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)


def must(kedge, project, *arguments):
    done = kedge_run(kedge, project, *arguments)
    if done.returncode != 0:
        raise Failed(f"kedge {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")


def sql(project, text, database="yard"):
    connection = sqlite3.connect(project / f"data/{database}.sqlite")
    connection.executescript(text)
    connection.close()


def edit(project, path, old, new):
    file = project / path
    text = file.read_text()
    if old not in text:
        raise Failed(f"{path} does not hold {old!r}")
    file.write_text(text.replace(old, new, 1))


def make_healthy(kedge, project):
    shutil.copytree(root / "examples/harbour", project)
    (project / "data").mkdir(exist_ok=True)
    sql(project, YARD)
    (project / "models/yard").mkdir()
    for name, text in MODELS.items():
        (project / f"models/yard/{name}.yml").write_text(text)
    with (project / "connections.yml").open("a") as file:
        file.write(CONNECTIONS)
    (project / "project.yml").write_text(PROJECT)
    (project / "templates/notices/place.mustache").write_text("{{#hasBerthCode}}\nBerth: {{berthCode}}\n{{/hasBerthCode}}\n")
    edit(project, "templates/notices/arrival.mustache", "{{#hasBerthCode}}\nBerth: {{berthCode}}\n{{/hasBerthCode}}",
         "{{>notices/place}}")
    must(kedge, project, "migrate", "--apply", "--slug", "first")
    (project / "metadata/pilots.yml").write_text(METADATA)
    must(kedge, project, "migrate", "--apply", "--slug", "pilots")
    must(kedge, project, "run", "--all")
    must(kedge, project, "gen")
    must(kedge, project, "docs")
