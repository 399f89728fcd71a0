#!/usr/bin/env python3
"""What `kedge migrate` says of the impact of what it is about to write, what a change does to generated files, and
what an edited contract breaks: on copies of the harbour example over sqlite. Prints `N passed, N failed`.
    run_impact.py --kedge PATH"""
import argparse
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
kedge = str(pathlib.Path(parser.parse_args().kedge).resolve())
root = pathlib.Path(__file__).resolve().parent.parent.parent
passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:900])


def run(folder, *arguments):
    return subprocess.run([kedge, "-C", str(folder), *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)


def git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def harbour(name):
    folder = pathlib.Path(name)
    shutil.copytree(root / "examples/harbour", folder, dirs_exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    done = run(folder, "migrate", "--apply", "--db", "harbour", "--slug", "first")
    check("first migration", done.returncode == 0, done.stdout + done.stderr)
    check("generated", run(folder, "gen").returncode == 0)
    return folder


def edit(path, old, new):
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new))


def broken(document):
    return {(item["part"], item.get("subject", {}).get("container", ""), item.get("subject", {}).get("name", ""))
            for item in document.get("impacts", []) if item["effect"] == "breaks"}


def judge_migrate(folder):
    edit(folder / "metadata/harbour.yml", "        - field.decimal: { name: draughtM, precision: 5, scale: 2 }\n", "")
    drop = ["migrate", "--db", "harbour", "--allow", "drop-column"]
    said = json.loads(run(folder, *drop, "--dry-run", "--format", "json").stdout)
    check("migrate names the model column that goes", ("models", "vessels", "draught_m") in broken(said["impact"]), said["impact"])
    parts = {item["part"] for item in said["impact"]["impacts"]}
    check("and the generated files that are out of date", "code" in parts, said["impact"])
    asked = json.loads(run(folder, "impact", "--drop-column", "vessels.draught_m", "--db", "harbour", "--format", "json").stdout)
    models = {item for item in broken(asked) if item[0] == "models"}
    check("the same models as kedge impact says", models == {item for item in broken(said["impact"]) if item[0] == "models"}, models)
    dry = run(folder, *drop, "--dry-run")
    check("standard output of --dry-run is the SQL alone", "impact" not in dry.stdout and "impact: " in dry.stderr, dry.stdout + dry.stderr)
    without = json.loads(run(folder, *drop, "--dry-run", "--no-impact", "--format", "json").stdout)
    check("--no-impact leaves it out", "impact" not in without, without.keys())
    quiet = run(folder, *drop, "--dry-run", "--no-impact")
    check("--no-impact leaves it out of the text", "impact" not in quiet.stdout + quiet.stderr, quiet.stderr)
    refused = json.loads(run(folder, "migrate", "--db", "harbour", "--format", "json").stdout)
    check("a blocked change has its impact too", refused["exit_code"] == 1 and ("models", "vessels", "draught_m") in
          broken(refused["impact"]), refused.get("impact"))
    # Offline: no database may be opened, the snapshot says enough.
    shutil.move(folder / "data/harbour.sqlite", folder / "data/away.sqlite")
    offline = json.loads(run(folder, "migrate", "--allow", "drop-column", "--dry-run", "--format", "json").stdout)
    check("offline mode", offline["mode"] == "offline" and models <= broken(offline["impact"]) and offline["impact"]["errors"] == [], offline)
    check("no database came to be", not (folder / "data/harbour.sqlite").exists())
    shutil.move(folder / "data/away.sqlite", folder / "data/harbour.sqlite")
    written = run(folder, *drop, "--apply", "--slug", "shallow")
    check("the text shows it before what was written", written.returncode == 0 and
          0 <= written.stdout.find("impact: ") < written.stdout.find("wrote "), written.stdout + written.stderr)
    found = json.loads(run(folder, "check", "--only", "models,code", "--format", "json").stdout)
    models_found = {("models", item["subject"]["container"], item["subject"]["name"]) for item in found["findings"]
                    if item["guard"] == "models"}
    check("what it said of the models is what check finds", models_found == models, models_found ^ models)
    again = run(folder, "migrate", "--db", "harbour")
    check("nothing to do has no impact", again.returncode == 0 and "impact" not in again.stdout, again.stdout)


def judge_projection(folder):
    said = json.loads(run(folder, "impact", "--drop-table", "moorings", "--db", "harbour", "--format", "json").stdout)
    check("a projection that reads a dropped table", any(item["part"] == "database" and "v_berth_load" in item["subject"]["name"]
                                                       for item in said["impacts"]), said)


def judge_code(folder):
    said = json.loads(run(folder, "impact", "--drop-column", "vessels.draught_m", "--db", "harbour", "--format", "json").stdout)
    files = {item["subject"]["name"]: item for item in said["impacts"] if item["part"] == "code"}
    text = {str(path.relative_to(folder)): path.read_text() for path in (folder / "generated").rglob("*") if path.is_file()}
    naming = {name for name, content in text.items() if "draught" in content.lower()}
    naming.discard("generated/harbour/ArrivalNotice.ts")  # a value with a field of that name, which stands on nothing
    check("generated files that name the field, and only those", naming and set(files) == naming, set(files) ^ naming)
    check("as changes", {item["effect"] for item in files.values()} == {"changes"}, files)
    table = json.loads(run(folder, "impact", "--drop-table", "vessels", "--db", "harbour", "--format", "json").stdout)
    about = {item["subject"]["name"] for item in table["impacts"] if item["part"] == "code"}
    check("a dropped table: the files that are about it", about and all("vessel" in name.lower() for name in about), about)
    elsewhere = json.loads(run(folder, "impact", "--retype", "vessels.name=TEXT", "--db", "harbour", "--format", "json").stdout)
    check("no file for a type of the database", not [i for i in elsewhere["impacts"] if i["part"] == "code"], elsewhere)


def judge_causes(folder):
    """Two tables lose columns of one name: each field goes because of its own."""
    said = json.loads(run(folder, "impact", "--drop-column", "berths.id", "--drop-column", "vessels.id", "--db", "harbour", "--format", "json").stdout)
    causes = {item["subject"]["container"]: said["impacts"][item["cause"]]["subject"].get("container") for item in said["impacts"]
              if item["subject"]["kind"] == "identity"}
    check("each field by its own column", (causes.get("harbour::Berth"), causes.get("harbour::Vessel")) == ("berths", "vessels"), causes)


def judge_unknown_types(folder):
    """A type that the database does not know cannot be asked about; SQLite takes any."""
    done = run(folder, "impact", "--db", "pilots", "--retype", "arrivals.eta=nosuchtype")
    check("a type that DuckDB does not know", done.returncode == 2 and "has no type 'nosuchtype'" in done.stderr, done.stdout + done.stderr)
    done = run(folder, "impact", "--db", "pilots", "--retype", "arrivals.eta=BIGINT")
    check("one that it knows", done.returncode in (0, 1), done.stdout + done.stderr)
    done = run(folder, "impact", "--db", "harbour", "--retype", "vessels.name=anything goes")
    check("SQLite takes any", done.returncode in (0, 1), done.stdout + done.stderr)


def judge_mixture(folder):
    """One question a time: what would be left unsaid is refused."""
    for arguments in (["--to", "metadata:", "--drop-column", "vessels.draught_m"], ["--pending", "--drop-table", "vessels"],
                      ["--pending", "--to", "empty:"], ["--to", "empty:", "--rename", "vessels.name=n"]):
        done = run(folder, "impact", "--db", "harbour", *arguments)
        check(f"refused: {arguments}", done.returncode == 2 and "ERR_USAGE" in done.stderr, done.stdout + done.stderr)


def judge_places(folder):
    """One database by several names, and a target that is a URL."""
    ask = ["impact", "--drop-column", "vessels.name", "--format", "json"]
    (folder / "models/beside").mkdir()
    (folder / "models/beside/ships.yml").write_text("name: ships\nsql_table: vessels\ncolumns:\n  - {name: name, type: TEXT}\n")
    (folder / "link.sqlite").symlink_to("data/harbour.sqlite")
    (folder / "connections.yml").write_text((folder / "connections.yml").read_text() + "beside:\n  connector: sqlite\n  path: link.sqlite\n")
    by_name = json.loads(run(folder, *ask, "--db", "harbour").stdout)
    check("a second name through a link", ("models", "ships", "name") in broken(by_name), by_name)
    check("metadata is judged", any(item["part"] == "metadata" for item in by_name["impacts"]), by_name)
    edit(folder / "project.yml", "target: harbour", "target: sqlite:data/harbour.sqlite")
    for arguments in (["--db", "harbour"], [], ["--db", "sqlite:./data/harbour.sqlite"]):
        by_url = json.loads(run(folder, *ask, *arguments).stdout)
        check(f"a target that is a URL: {arguments}", broken(by_url) == broken(by_name) and
              len(by_url["impacts"]) == len(by_name["impacts"]), by_url)


def small(folder, contract, sql):
    """A project of one sqlite database with one contract."""
    (folder / "project.yml").write_text("name: small\nversion: 1.0.0\n")
    (folder / "connections.yml").write_text(
        "src:\n  connector: sqlite\n  path: src.db\n  entities:\n    t:\n      read:\n        columns: " + contract + "\n")
    execute(folder / "src.db", sql)


def execute(database, sql):
    connection = sqlite3.connect(database)
    connection.executescript(sql)
    connection.close()


def judge_mismatched(folder):
    """A column that is not of the declared type, and then is gone, is another fault: for impact and for a baseline."""
    small(folder, "{id: bigint, k: varchar(20), d: date}", "CREATE TABLE t (id integer, k varchar(500), d text)")
    done = run(folder, "check", "--only", "contracts", "--format", "json")
    (folder / "known.json").write_text(done.stdout)
    (folder / "models/src").mkdir(parents=True)
    (folder / "models/src/t.yml").write_text("name: t\nsql_table: t\ncolumns:\n  - {name: id, type: INT}\n  - {name: d, type: DATE}\n")
    check("the type is told", done.returncode == 1 and "'d'" in done.stdout, done.stdout)
    known = run(folder, "check", "--only", "contracts", "--baseline", "known.json")
    check("and is known then", known.returncode == 0, known.stdout + known.stderr)
    done = run(folder, "impact", "--db", "src", "--drop-column", "t.d", "--format", "json")
    document = json.loads(done.stdout)
    check("a mismatched column that goes breaks its contract", done.returncode == 1 and ("contracts", "t", "d") in broken(document), document)
    done = run(folder, "impact", "--db", "src", "--rename", "t.k=k2", "--format", "json")
    document = json.loads(done.stdout)
    check("and what was known stays known", broken(document) == {("contracts", "t", "k")}, document)
    model = ("models", "t", "d")
    before = json.loads(run(folder, "check", "--only", "models", "--format", "json").stdout)
    check("the model's column has another type too", [i["subject"]["name"] for i in before["findings"]] == ["d"], before)
    document = json.loads(run(folder, "impact", "--db", "src", "--drop-column", "t.d", "--format", "json").stdout)
    check("and breaks anew when it goes", model in broken(document), document)
    execute(folder / "src.db", "ALTER TABLE t DROP COLUMN d")
    done = run(folder, "check", "--only", "contracts", "--baseline", "known.json", "--format", "json")
    document = json.loads(done.stdout)
    check("the baseline does not know that it is gone", done.returncode == 1 and
          [item["subject"]["name"] for item in document["findings"]] == ["d"], document)


def judge_broken(folder):
    """Declarations that cannot be read are told: nothing is called unbroken that was not looked at."""
    (folder / "connections.yml").write_text((folder / "connections.yml").read_text() + "odd:\n  connector: nonsense\n")
    done = run(folder, "impact", "--db", "harbour", "--drop-column", "vessels.draught_m")
    check("a broken declaration is no silence", done.returncode == 2, done.stdout + done.stderr)


def judge_names(folder):
    """No column gets the name of another, unless that one goes in the same change."""
    done = run(folder, "impact", "--db", "harbour", "--rename", "vessels.call_sign=name")
    check("a name that is taken", done.returncode == 2 and "has a column 'name' already" in done.stderr, done.stdout + done.stderr)
    done = run(folder, "impact", "--db", "harbour", "--drop-column", "vessels.name", "--rename", "vessels.call_sign=name")
    check("a name that becomes free", done.returncode == 1, done.stdout + done.stderr)


def judge_contract(folder):
    (folder / ".gitignore").write_text(".kedge/\ndata/\n")
    git(folder, "init", "-q", ".")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "start")
    ask = ["impact", "--contracts-since", "HEAD", "--format", "json"]
    same = run(folder, *ask)
    document = json.loads(same.stdout)
    check("an unedited contract", same.returncode == 0 and document["changes"] == [] and document["impacts"] == [], document)
    state = sorted(str(path) for path in folder.rglob("*") if ".git/" not in str(path))
    edit(folder / "connections.yml", "          eta: timestamp\n", "          eta: bigint\n          pilot: varchar\n")
    done = run(folder, *ask)
    document = json.loads(done.stdout)
    check("what is promised otherwise", any("eta from" in line for line in document["changes"]) and
          any("promises pilot" in line for line in document["changes"]), document["changes"])
    check("a promise that the file does not keep breaks", done.returncode == 1 and
          any(item["effect"] == "breaks" and item["part"] == "contracts" for item in document["impacts"]), document["impacts"])
    check("the pipeline that reads it", any(item["part"] == "pipelines" and item["subject"]["name"] == "arrivals"
                                           for item in document["impacts"]) or done.returncode == 1, document["impacts"])
    check("nothing was written", state == sorted(str(path) for path in folder.rglob("*") if ".git/" not in str(path)))
    git(folder, "checkout", "-q", "connections.yml")
    edit(folder / "connections.yml", "          berth: varchar\n", "")
    done = run(folder, *ask)
    document = json.loads(done.stdout)
    check("a promise taken back", any("no longer promises berth" in line for line in document["changes"]), document["changes"])
    check("reaches its readers", any(item["part"] in ("pipelines", "contracts") for item in document["impacts"]), document["impacts"])
    git(folder, "checkout", "-q", "connections.yml")
    edit(folder / "connections.yml", "min: 0 }", "min: 5 }")
    document = json.loads(run(folder, *ask).stdout)
    check("another constraint", [line for line in document["changes"] if "gross_tons" in line] != [] and
          all("checks" in line for line in document["changes"]), document["changes"])
    check("another constraint reaches its readers", [(item["part"], item["effect"]) for item in document["impacts"]] ==
          [("pipelines", "changes")], document["impacts"])
    git(folder, "checkout", "-q", "connections.yml")
    for old, new, key in (("strategy: merge", "strategy: append", "strategy"), ("schema_policy: evolve", "schema_policy: additive", "schema_policy"),
                          ("keys: [call_sign, eta]", "keys: [call_sign]", "keys")):
        edit(folder / "connections.yml", old, new)
        document = json.loads(run(folder, *ask).stdout)
        check(f"another {key} of a write", [line for line in document["changes"] if line.startswith(f"contract warehouse.main.arrivals: write: {key}")]
              != [], document["changes"])
        check(f"another {key} reaches its writers", ("pipelines", "arrivals") in
              {(item["part"], item.get("subject", {}).get("name")) for item in document["impacts"]}, document["impacts"])
        git(folder, "checkout", "-q", "connections.yml")
    edit(folder / "connections.yml", "        path: arrivals.csv\n", "        path: arrivals.csv\n        on_source_drift: fail\n")
    document = json.loads(run(folder, *ask).stdout)
    check("another policy of a read", document["changes"] == ["contract pilots.arrivals: read: on_source_drift added"], document["changes"])
    git(folder, "checkout", "-q", "connections.yml")
    (folder / "pipelines/late.sql").write_text("SELECT call_sign FROM {{ ref('arrivals') }}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "late")
    edit(folder / "pipelines/arrivals.sql", "SELECT call_sign,", "SELECT call_sine,")
    done = run(folder, *ask)
    document = json.loads(done.stdout)
    check("edited SQL", document["changes"] == ["pipeline arrivals: its SQL changed"], document["changes"])
    check("a pipeline whose own SQL breaks, and its readers", done.returncode == 1 and {("pipelines", "", "arrivals"), ("pipelines", "", "late")}
          <= broken(document), document["impacts"])
    edit(folder / "pipelines/arrivals.sql", "source('pilots', 'arrivals')", "sauce('pilots', 'arrivals')")
    check("a pipeline whose template breaks", ("pipelines", "", "arrivals") in broken(json.loads(run(folder, *ask).stdout)))
    git(folder, "checkout", "-q", "pipelines")
    for arguments in (["--contracts-since", "nowhere"], ["--contracts-since", "HEAD", "--drop-table", "t"],
                      ["--contracts-since", "--output=x"]):
        check(f"refused: {arguments}", run(folder, "impact", *arguments).returncode == 2)


def judge_schema(folder):
    """An entity that is named with its schema, when the other side of the change is a description without any."""
    edit(folder / "connections.yml", "  path: data/harbour.sqlite\n", "  path: data/harbour.sqlite\n  entities:\n    main.vessels:\n      read:\n"
         "        columns: {call_sign: varchar, draught_m: decimal}\n")
    (folder / "pipelines/ships.sql").write_text("SELECT call_sign FROM {{ source('harbour', 'main.vessels') }}\n")
    edit(folder / "metadata/harbour.yml", "        - field.timestamp: until\n", "        - field.timestamp: until\n        - field.string: note\n")
    added = json.loads(run(folder, "impact", "--pending", "--format", "json").stdout)
    check("a column that comes takes no table away", added["changes"] and not broken(added), added)
    edit(folder / "metadata/harbour.yml", "        - field.decimal: { name: draughtM, precision: 5, scale: 2 }\n", "")
    dropped = json.loads(run(folder, "impact", "--pending", "--format", "json").stdout)
    lost = {item for item in broken(dropped) if item[0] == "contracts"}
    check("a column that goes is missed by its name", lost == {("contracts", "main.vessels", "draught_m")}, dropped)


def judge_files(folder):
    """A file that loses a column, and a view that gives another one."""
    asked = run(folder, "impact", "--db", "pilots", "--drop-column", "arrivals.eta", "--format", "json")
    lost = broken(json.loads(asked.stdout))
    check("a column of a file", {("contracts", "arrivals", "eta"), ("pipelines", "", "arrivals")} <= lost, asked.stdout + asked.stderr)
    (folder / "models/harbour/load.yml").write_text("name: load\nsql_table: v_berth_load\ncolumns:\n  - {name: code, type: TEXT}\n")
    for change in (["--drop-column", "v_berth_load.code"], ["--rename", "v_berth_load.code=sign"]):
        asked = run(folder, "impact", "--db", "harbour", *change, "--format", "json")
        check(f"a column of a view: {change}", ("models", "load", "code") in broken(json.loads(asked.stdout)), asked.stdout + asked.stderr)
    asked = run(folder, "impact", "--db", "harbour", "--drop-column", "v_berth_load.cod")
    check("a column that no view has", asked.returncode == 2 and "did you mean 'code'" in asked.stderr, asked.stderr)


VIEWS = """
CREATE TABLE crates (id INTEGER PRIMARY KEY, kg DECIMAL(10,2), lot TEXT, port_id INTEGER);
CREATE TABLE ports (id INTEGER, name TEXT);
CREATE VIEW heavy AS SELECT id, kg FROM crates WHERE kg > 100;
CREATE VIEW named AS SELECT lot AS label, kg + 0 AS kg FROM crates;
CREATE VIEW everything AS SELECT * FROM crates;
CREATE VIEW above AS SELECT * FROM everything;
CREATE VIEW joined AS SELECT c.id, p.name FROM crates c JOIN ports p ON p.id = c.port_id;
"""
VIEW_MODELS = {
    "heavy": ("sql_table: heavy", "id: INT, kg: DOUBLE"), "named": ("sql_table: named", "label: TEXT"),
    "everything": ("sql_table: everything", "id: INT, kg: DOUBLE, lot: TEXT"), "above": ("sql_table: above", "kg: DOUBLE"),
    "joined": ("sql_table: joined", "id: INT, name: TEXT"), "lots": ("sql: SELECT lot, count(*) AS n FROM crates GROUP BY 1", "lot: TEXT, n: INT"),
    "sums": ("sql: SELECT lot, CAST(kg AS TEXT) AS kg FROM crates", "lot: TEXT, kg: TEXT"), "stars": ("sql: SELECT * FROM heavy", "kg: DOUBLE"),
}
VIEW_CONTRACTS = """
  entities:
    heavy: {read: {columns: {kg: "decimal(10,2)"}}}
    everything: {read: {columns: {lot: varchar}}}
"""
CHANGES = {
    ("--rename", "crates.kg=mass"): "ALTER TABLE crates RENAME COLUMN kg TO mass",
    ("--rename", "crates.lot=batch"): "ALTER TABLE crates RENAME COLUMN lot TO batch",
    ("--rename", "ports.name=title"): "ALTER TABLE ports RENAME COLUMN name TO title",
    ("--rename", "ports.id=no"): "ALTER TABLE ports RENAME COLUMN id TO no",
    ("--retype", "crates.kg=timestamp"): "kg DECIMAL(10,2)=kg TIMESTAMP",
    ("--retype", "crates.lot=timestamp"): "lot TEXT=lot TIMESTAMP",
    ("--retype", "ports.name=integer"): "name TEXT=name INTEGER",
    ("--retype", "ports.id=timestamp"): "ports (id INTEGER=ports (id TIMESTAMP",
}


def judge_views(folder):
    """What a rename and a new type do to views and to what stands on them, against truth: check after the change."""
    (folder / "models/src").mkdir(parents=True)
    for name, (source, columns) in VIEW_MODELS.items():
        items = "".join("  - {name: %s, type: %s}\n" % tuple(item.split(": ")) for item in columns.split(", "))
        (folder / f"models/src/{name}.yml").write_text(f"name: {name}\n{source}\ncolumns:\n{items}")
    (folder / "project.yml").write_text("name: views\n")
    (folder / "pipelines").mkdir()
    (folder / "pipelines/p.sql").write_text("SELECT h.kg, e.lot FROM {{ source('src', 'heavy') }} h, {{ source('src', 'everything') }} e\n")
    (folder / "connections.yml").write_text("src:\n  connector: sqlite\n  path: src.db" + VIEW_CONTRACTS)
    guards = ["check", "--only", "models,contracts", "--format", "json"]
    errors = lambda document: {(item["guard"], item["code"], item["subject"].get("container", ""), item["subject"].get("name", ""))
                               for item in document["findings"] if item["severity"] == "error"}
    for change, done in CHANGES.items():
        (folder / "src.db").unlink(missing_ok=True)
        execute(folder / "src.db", VIEWS)
        if not errors(json.loads(run(folder, *guards).stdout)) == set():
            check("healthy before", False, run(folder, *guards).stdout)
        said = json.loads(run(folder, "impact", "--db", "src", *change, "--format", "json").stdout)
        breaks = {(item["part"], item.get("code"), item["subject"].get("container", ""), item["subject"].get("name", ""))
                  for item in said["impacts"] if item["effect"] == "breaks" and item["part"] in ("models", "contracts")}
        if "=" in done:
            (folder / "src.db").unlink()
            execute(folder / "src.db", VIEWS.replace(*done.split("=")))
        else:
            execute(folder / "src.db", done)
        found = errors(json.loads(run(folder, *guards).stdout))
        check(f"views after {' '.join(change)}", breaks == found, f"only impact {breaks - found}, only check {found - breaks}")


def judge_broken_view(folder):
    """SQLite keeps a view whose table went, and refuses it: impact says of its models what check says afterwards."""
    (folder / "models/src").mkdir(parents=True)
    (folder / "project.yml").write_text("name: views\n")
    (folder / "connections.yml").write_text("src:\n  connector: sqlite\n  path: src.db\n")
    (folder / "models/src/big.yml").write_text("name: big\nsql_table: heavy\ncolumns:\n  - {name: id, type: INT}\n  - {name: kg, type: DOUBLE}\n")
    (folder / "models/src/bare.yml").write_text("name: bare\nsql_table: crates\ncolumns:\n  - {name: id, type: INT}\n")
    (folder / "models/src/asked.yml").write_text("name: asked\nsql: SELECT id FROM heavy\ncolumns:\n  - {name: id, type: INT}\n")
    execute(folder / "src.db", VIEWS)
    said = json.loads(run(folder, "impact", "--db", "src", "--drop-table", "crates", "--format", "json").stdout)
    expected = {(item["part"], item["code"], item["where"]["file"] if "where" in item else item["file"]) for item in said["impacts"]
                if item["part"] == "models" and item["effect"] == "breaks"}
    causes = {item["subject"]["name"]: said["impacts"][item["cause"]]["subject"]["name"] for item in said["impacts"]
              if item.get("code") == "introspection_failed"}
    check("the view is the cause", causes == {"big": "heavy"}, said["impacts"])
    execute(folder / "src.db", "DROP TABLE crates")
    document = json.loads(run(folder, "check", "--only", "models", "--format", "json").stdout)
    found = {(item.get("guard"), item["code"], item["file"]) for item in document["findings"] + document["errors"]}
    check("impact and check agree over a view that breaks", expected == found, f"impact {expected}, check {found}")


def main():
    for judge in (judge_schema, judge_files, judge_projection, judge_code, judge_causes, judge_unknown_types, judge_mixture, judge_broken, judge_places, judge_migrate, judge_names,
                  judge_contract):
        with tempfile.TemporaryDirectory() as name:
            judge(harbour(name))
    for judge in (judge_mismatched, judge_views, judge_broken_view):
        with tempfile.TemporaryDirectory() as name:
            judge(pathlib.Path(name))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
