#!/usr/bin/env python3
"""Every command of the guide's pages runs as it stands, on real databases (a throw-away PostgreSQL, SQLite, DuckDB, files), and says
what the page shows. What stands in capitals on a page (NAME, FILE) is filled in by the script; a command that a page gains must be
added here. The quick start is tests/docs/run_docs.py.   Prints `N passed, N failed`.
    run_guide.py --kedge PATH [--only PAGE]"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/cases/runner"))
from kt.databases import USER, Databases  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--only", default="")
options = parser.parse_args()
passed = failed = 0


def judge(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f"FAIL {name}: {detail}"[:1500])


def blocks_of(text):
    """Fenced blocks as (language, body), and indented ones with no language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S)
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return found + [("", re.sub(r"^    ", "", body, flags=re.M)) for body in re.findall(r"(?:^    \S.*\n)+", outside + "\n", re.M)]


def commands_of(text):
    """Whole command lines of blocks; of running text those that nothing has to be filled in."""
    lines = []
    for language, body in blocks_of(text):
        if language in ("", "sh"):
            for line in re.sub(r"\n {4,}", " ", body).splitlines():
                line = re.sub(r"^\$ ", "", re.sub(r"\s+# .*", "", line)).strip()
                lines += [line] if line.startswith("kedge ") and "[" not in line.split("'")[0] else []
    inline = re.findall(r"`(kedge [^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    return lines + [line for line in inline if not re.search(r"\b[A-Z][A-Z]*\b|[<>|\[]|\.\.\.", line)]


class Page:
    def __init__(self, name, folder, environment):
        self.name, self.folder, self.done = name, folder, []
        self.text = (ROOT / f"docs/guide/{name}.md").read_text()
        programs = folder.parent / "programs"
        programs.mkdir(parents=True, exist_ok=True)
        if not (programs / "kedge").exists():
            (programs / "kedge").symlink_to(pathlib.Path(options.kedge).resolve())
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), **environment}
        folder.mkdir(parents=True)

    def run(self, line, code=0, said=None, filled=None):
        """`line` as the page has it; `filled`: pairs of what the page says and what is true here."""
        self.done.append(line)
        real = line
        for old, new in filled or []:
            real = real.replace(old, str(new))
        done = subprocess.run(["bash", "-c", real], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        judge(f"{self.name}: {real}", done.returncode == code, f"exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-700:]}")
        if said is not None:
            judge(f"{self.name}: {real}: what it says", said in done.stdout + done.stderr, done.stdout + done.stderr)
        return done

    def shown(self, start):
        """What the page shows below the command that starts so."""
        for _, body in blocks_of(self.text):
            body = re.sub(r"\n {4,}(?=\S.*--)", " ", body) if "kedge query" in body else body
            first, _, rest = body.partition("\n")
            if first.startswith("$ " + start):
                return rest
        raise SystemExit(f"{self.name}: nothing is shown below '{start}'")

    def yaml(self, start):
        """The YAML sample that begins so, as text."""
        return next(body for language, body in blocks_of(self.text) if language == "yaml" and body.startswith(start))

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def sqlite(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.folder / path)
        connection.executescript(text)
        connection.close()

    def end(self):
        for command in commands_of(self.text):
            covered = any(line == command or line.startswith(command + " ") for line in self.done)
            judge(f"{self.name}: '{command}' is run", covered, "run_guide.py does not run it")


def harbour(page):
    """The bundled example, with its databases made."""
    shutil.copytree(ROOT / "examples/harbour", page.folder, dirs_exist_ok=True)
    (page.folder / "data").mkdir()
    page.run("kedge migrate --apply --db harbour --slug first")


def connections(page, _):
    harbour(page)
    page.run("kedge run --all")
    page.run("kedge connections list", said="harbour")
    page.run("kedge connections test", said="warehouse")
    page.run("kedge connections test harbour sqlite:data/harbour.sqlite", said="sqlite:data/harbour.sqlite")
    page.run("kedge connections test harbour sqlite:data/none.sqlite", code=2)


def diff(page, servers):
    page.sqlite("before.db", "CREATE TABLE berths (id INTEGER PRIMARY KEY, code TEXT);")
    page.sqlite("after.db", "CREATE TABLE berths (id INTEGER PRIMARY KEY, code TEXT, side TEXT);")
    page.run("kedge diff sqlite:before.db sqlite:after.db", code=1, said="+ column berths.side")
    page.run("kedge migrate diff --from A --to B", code=1, said="+ column berths.side", filled=[("A", "sqlite:before.db"), ("B", "sqlite:after.db")])
    app, staging, production = (servers.database() for _ in range(3))
    app.script("CREATE TABLE berths (id bigint PRIMARY KEY);")
    page.write("schema.sql", "CREATE TABLE berths (id bigint PRIMARY KEY, code text);\n")
    page.run("kedge diff postgres://localhost/app sql:schema.sql --format sql > change.sql", code=1,
             filled=[("postgres://localhost/app", f"'{servers.url(app)}'")])
    app.script((page.folder / "change.sql").read_text())
    page.run("kedge diff postgres://localhost/app sql:schema.sql", filled=[("postgres://localhost/app", f"'{servers.url(app)}'")])
    staging.script("CREATE TABLE berths (id bigint PRIMARY KEY); CREATE TABLE tmp_a (x int); CREATE SCHEMA audit CREATE TABLE log (x int);")
    production.script("CREATE TABLE berths (id bigint PRIMARY KEY);")
    page.write("connections.yml", yaml.safe_dump({"staging": staging.connection(), "production": production.connection()}))
    page.run("kedge diff staging production --exclude 'table:tmp_*' --exclude 'audit.*' --exclude 'schema:audit'", said="no difference")
    page.run("kedge diff staging production", code=1, said="tmp_a")
    page.run("kedge diff sqlite:before.db sqlite:after.db --prove", code=1)


def inspect(page, servers):
    page.sqlite("app.db", "CREATE TABLE berths (id INTEGER PRIMARY KEY, code TEXT);")
    page.run("kedge inspect sqlite:app.db", said="berths")
    database = servers.database()
    database.script("CREATE SCHEMA harbour CREATE TABLE vessels (id bigint PRIMARY KEY); CREATE TABLE other (id int);")
    done = page.run("kedge inspect postgres://app@localhost/harbour --scope 'harbour.*' --format mermaid", said="vessels",
                    filled=[("postgres://app@localhost/harbour", f"'{servers.url(database)}'")])
    judge("inspect: the scope", "other" not in done.stdout, done.stdout)
    page.write("schema.sql", "CREATE TABLE berths (id bigint PRIMARY KEY);\n")
    done = page.run("kedge inspect sql:schema.sql --dialect postgres --format json")
    judge("inspect: JSON", json.loads(done.stdout or "{}").get("schema", {}).get("tables", [{}])[0].get("name") == "berths", done.stdout[:400])
    page.write("connections.yml", "main: {connector: sqlite, path: app.db}\n")
    page.run("kedge snapshot main --out before.json")
    page.run("kedge diff snapshot:before.json main", said="no difference")
    page.sqlite("app.db", "ALTER TABLE berths ADD COLUMN side TEXT;")
    page.run("kedge diff snapshot:before.json main", code=1, said="side")


def metadata_and_migrations(page, servers):
    page.write("metadata/harbour.yml", page.yaml("# metadata/harbour.yml"))
    page.write("project.yml", "name: harbour\nversion: '1'\n")
    page.run("kedge migrate --db sqlite:harbour.db --apply", said="create-table-berths")
    page.run("kedge verify --db sqlite:harbour.db", said="matches the metadata")
    page.run("kedge migrate", said="no changes", filled=[("migrate", "migrate --dialect sqlite")])
    page.run("kedge validate")
    page.run("kedge model --out model.json")
    page.run("kedge migrate prove", filled=[("prove", "prove --dialect sqlite")])
    page.run("kedge migrate status", filled=[("status", "status --db sqlite:harbour.db")])
    page.run("kedge verify --db sqlite:harbour.db --replay --with-down", filled=[("verify", "verify --dialect sqlite")])
    page.run("kedge verify --replay-snapshot", filled=[("verify", "verify --dialect sqlite")])
    page.run("kedge migrate snapshot --rebuild", filled=[("snapshot", "snapshot --dialect sqlite")])
    page.write("metadata/harbour.yml", page.yaml("# metadata/harbour.yml").replace(
        "        - field.string: { name: code, required: true, maxLength: 8, unique: true }\n", ""))
    page.run("kedge migrate", code=1, said="--allow", filled=[("migrate", "migrate --db sqlite:harbour.db")])
    page.run("kedge impact --drop-column berths.code", filled=[("impact", "impact --db sqlite:harbour.db")])
    page.run("kedge migrate --allow drop-column,type-change", filled=[("migrate", "migrate --db sqlite:harbour.db"), ("type-change", "drop-index")])
    page.run("kedge migrate apply-pending", filled=[("pending", "pending --db sqlite:harbour.db")])
    page.run("kedge verify --db sqlite:harbour.db")
    name = sorted(path.name for path in (page.folder / "migrations").iterdir() if path.name[0] == "2")[0]
    page.run("kedge migrate rollback --to NAME", filled=[("NAME", name), ("rollback", "rollback --db sqlite:harbour.db")])
    page.run("kedge migrate rollback --all", filled=[("rollback", "rollback --db sqlite:harbour.db")])
    page.run("kedge check", code=0, filled=[("check", "check --only replay,templates")])
    online = servers.database()
    page.run("kedge migrate --online", filled=[("migrate", f"migrate --out-dir online --db '{servers.url(online)}'")])
    page.run("kedge migrate --from-sql schema.sql", code=2)
    repository(page)
    page.run("kedge impact --contracts-since origin/main", filled=[("origin/main", "HEAD")])
    existing = page.folder.parent / "existing"
    existing.mkdir()
    there = Page.__new__(Page)
    there.__dict__.update(page.__dict__)
    there.folder = existing
    database = servers.database()
    database.script("CREATE TABLE berths (id bigint PRIMARY KEY, code varchar(8) NOT NULL UNIQUE);"
                    "CREATE TABLE vessels (id bigint PRIMARY KEY, berth_id bigint REFERENCES berths);")
    there.write("project.yml", "name: app\nversion: '1'\n")
    there.write("connections.yml", yaml.safe_dump({"app_db": database.connection()}))
    there.run("kedge metadata import --db app_db")
    there.run("kedge migrate baseline --from-db --db app_db")
    there.run("kedge migrate --db app_db", said="no changes")
    there.run("kedge verify --templates", said="nothing was checked")


def repository(page):
    page.write(".gitignore", ".kedge/\n*.db\n")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=page.folder, check=True, capture_output=True)


def models(page, _):
    page.write("connections.yml", "main: {connector: sqlite, path: yard.db}\n")
    page.sqlite("yard.db", "CREATE TABLE crates (id INTEGER PRIMARY KEY, lot TEXT, kg DOUBLE); CREATE TABLE tmp_x (id INTEGER PRIMARY KEY);")
    page.run("kedge ingest --datasource main", filled=[("main", "main --exclude-tables 'tmp_*'")])
    before = (page.folder / "models/main/crates.yml").read_bytes()
    page.run("kedge ingest --datasource main", filled=[("main", "main --exclude-tables 'tmp_*'")])
    judge("models: a second ingest changes no byte", (page.folder / "models/main/crates.yml").read_bytes() == before)
    page.write("models/main/crates.yml", "name: crates\nsql_table: crates\ncolumns:\n  - {name: id, type: INT, primary_key: true}\n"
               "  - {name: lot, type: TEXT}\n  - {name: kg, type: DOUBLE}\n  - {name: tons, sql: kg / 1000.0, type: DOUBLE}\n"
               "measures:\n  - {name: avg_t, formula: \"tons:avg\"}\nfilters: [\"kg > 0\"]\n")
    page.run("kedge validate-models --check", said="No drift")
    page.sqlite("yard.db", "ALTER TABLE crates RENAME COLUMN kg TO weight_kg;")
    done = page.run("kedge validate-models")
    judge("models: the page shows what it says", done.stdout == page.shown("kedge validate-models"), done.stdout)
    page.run("kedge validate-models --format json", said="column_missing")
    page.run("kedge explain column_missing")
    page.run("kedge validate-models --check", code=1)
    for form in ("text", "json", "mermaid", "dot"):
        page.run(f"kedge validate-models --explain {form}")
    page.run("kedge validate-models --deep")
    page.run("kedge validate-models --suggest", said="weight_kg")
    page.run("kedge validate-models --suggest --sample", said="weight_kg")
    copy = (page.folder / "models/main/crates.yml").read_text()
    page.run("kedge validate-models --apply-renames --yes")
    page.run("kedge validate-models --check")
    page.write("models/main/crates.yml", copy)
    page.run("kedge validate-models --apply-renames --rename crates.kg=weight_kg --yes")
    page.run("kedge validate-models --check")
    page.write("models/main/crates.yml", copy)
    page.run("kedge validate-models --force-clean", code=2, said="confirmation_required")
    page.run("kedge validate-models --format json > reviewed.json")
    page.run("kedge validate-models --force-clean --from reviewed.json --yes")
    page.run("kedge validate-models --check")
    judge("models: the copy in the trash", len(list((page.folder / ".kedge/trash").rglob("crates.yml"))) == 1)
    page.write("dbt/models.yml", "semantic_models:\n  - name: bins\n    model: ref('bins')\n    entities: [{name: bin, type: primary, expr: id}]\n"
               "    dimensions: [{name: size, type: categorical}]\n    measures: [{name: n, agg: count, expr: id}]\n")
    page.write("cube/lots.yml", "cubes:\n  - name: lots\n    sql_table: lots\n    dimensions: [{name: id, sql: id, type: number, primary_key: true}]\n")
    for tool in ("dbt", "cube"):
        page.run("kedge models import --from dbt|cube PATH --datasource main", filled=[("dbt|cube PATH", f"{tool} {tool}")])


def queries(page, _):
    page.write("connections.yml", "main: {connector: sqlite, path: yard.db}\n")
    page.sqlite("yard.db", "CREATE TABLE depots (id INTEGER PRIMARY KEY, city TEXT);"
                "CREATE TABLE shipments (id INTEGER PRIMARY KEY, depot_id INTEGER, weight_kg INTEGER);"
                "INSERT INTO depots VALUES (1, 'Oslo'), (2, 'Bergen');"
                "INSERT INTO shipments (depot_id, weight_kg) VALUES (2, 3), (2, 4), (1, 1)" + ", (1, 350)" * 12 + ";")
    page.write("models/main/depots.yml", "name: depots\nsql_table: depots\ncolumns:\n  - {name: id, type: INT, primary_key: true}\n"
               "  - {name: city, type: TEXT}\n")
    page.write("models/main/shipments.yml", "name: shipments\nsql_table: shipments\ncolumns:\n  - {name: id, type: INT, primary_key: true}\n"
               "  - {name: depot_id, type: INT}\n  - {name: weight_kg, type: INT}\nmeasures:\n"
               "  - {name: mean_weight, formula: \"weight_kg:sum / *:count\"}\njoins:\n  - {target_model: depots, join_pairs: [[depot_id, id]]}\n")
    line = next(command for command in commands_of(page.text) if command.startswith("kedge query '"))
    done = page.run(line)
    judge("queries: the page shows what it says", done.stdout == page.shown("kedge query"), done.stdout)
    for more in ("--dry-run", "--explain", "--check-drift", "--data-source main"):
        page.run(f"{line} {more}")
    document = json.loads(page.run(f"{line} --format json").stdout)
    judge("queries: the JSON", set(document) == {"data", "columns", "row_count", "sql"}, list(document))
    page.write("ask.yml", "source_model: shipments\nmeasures: ['*:count']\n")
    page.run("kedge query @ask.yml", said="15")
    page.sqlite("yard.db", "ALTER TABLE shipments DROP COLUMN weight_kg;")
    page.run(line, code=1, said="shipments")


def contracts(page, servers):
    depot = servers.database()
    page.write("project.yml", "name: yard\nversion: '1'\non_source_drift: warn\n")
    page.write("connections.yml", page.yaml("# connections.yml").replace("database: depot", f"database: {depot.name}"))
    page.environment.update({"DEPOT_HOST": depot.server.host, "DEPOT_PASSWORD": "none", "PGUSER": USER})
    sql = next(body for language, body in blocks_of(page.text) if language == "sql")
    page.write(sql.split()[1], sql)
    page.write("yard/containers.csv", "box,gross_kg\nMSKU1,1200.500\nMSKU2,90\n")
    page.run("kedge run --all")
    judge("contracts: rows", depot.query("SELECT count(*) FROM load")[1] == [["2"]])
    page.run("kedge validate --connect", said="validation passed")
    run = next((page.folder / ".kedge/runs").iterdir())
    judge("contracts: the record", {"run.json", "events.ndjson"} <= {path.name for path in run.iterdir()})
    page.write("yard/containers.csv", "box,gross_kg\nMSKU1,-1\n")
    page.run("kedge run --all", code=1, said="PZ0510")
    page.write("yard/containers.csv", "box,gross_kg\nMSKU1,1\n")
    page.run("kedge retry", code=1, said="reused")
    page.run("kedge run --all")
    page.run("kedge runs", said="completed_with_failures")
    page.run("kedge state show")
    page.run("kedge schema accept", said="nothing to accept")
    page.run("kedge test")
    page.run("kedge contract export", said="v3.1.0", filled=[("export", "export > odcs.yml; cat odcs.yml")])
    page.run("kedge contract import", filled=[("import", "import odcs.yml --connection depot")])
    page.run("kedge contract infer", filled=[("infer", "infer yard.containers --connect")])
    page.run("kedge contract diff A B", filled=[("A B", "odcs.yml odcs.yml")])
    page.run("kedge clean")
    page.run("kedge run --all", filled=[("--all", "--all --full-refresh")])


def templates(page, _):
    harbour(page)
    page.write("notice.json", json.dumps({"vesselName": "Anna", "callSign": "LAAA", "stays": []}))
    page.run("kedge verify --templates")
    page.run("kedge verify --templates --template harbour::ArrivalNoticePrompt --templates-root templates --strict", said="0 warnings")
    page.run("kedge render harbour::ArrivalNoticePrompt --payload notice.json --out notice.txt")
    judge("templates: the text", "Anna" in (page.folder / "notice.txt").read_text())
    page.run("kedge render harbour::ArrivalNoticePrompt --payload - --strict-payload < notice.json", said="Anna")
    page.run("kedge templates list", said="ArrivalNoticePrompt")


def codegen(page, _):
    harbour(page)
    project = (page.folder / "project.yml").read_text()
    page.write("project.yml", project[:project.index("gen:")] + page.yaml("gen:"))
    page.run("kedge gen --dry-run")
    page.run("kedge gen")
    page.run("kedge gen --check")
    page.run("kedge verify --codegen")
    page.run("kedge docs")
    page.run("kedge verify --docs")
    page.run("kedge model --out kedge-model.json")
    page.run("kedge model --target NAME --out FILE", filled=[("NAME", "service"), ("FILE", "service-model.json")])
    page.run("kedge gen --list", said="kotlin")
    page.run("kedge gen --eject cpp")
    page.run("kedge gen --update-pack cpp")
    file = next((page.folder / "src/gen").rglob("Berth.hpp"))
    file.write_text(file.read_text() + "// mine\n")
    page.run("kedge gen")
    judge("codegen: an edit survives", file.read_text().endswith("// mine\n"))


def editors(page, _):
    harbour(page)
    page.run("kedge schema-files", said=".kedge/schemas/project.schema.json")
    page.run("kedge schema-files --out schemas")
    for row in re.findall(r"^\| `(\w+\.schema\.json)`", page.text, re.M):
        judge(f"editors: {row}", json.loads((page.folder / "schemas" / row).read_text())["$schema"])
    page.run("kedge check", said="in line", filled=[("check", "check --only templates")])
    fresh = page.folder.parent / "fresh"
    page.run("kedge init", filled=[("init", f"-C {fresh} init")])
    for name in ("project.yml", "connections.yml"):
        judge(f"editors: {name} names its schema", (fresh / name).read_text().startswith("# yaml-language-server: $schema=.kedge/schemas/"))


def ci(page, _):
    """Each `run:` and `script:` line of the snippets but for the installation, in a clone with a branch that drops a template's variable."""
    harbour(page)
    page.run("kedge gen")
    page.run("kedge run --all")
    (page.folder / "data").joinpath("keep").write_text("")
    page.write(".gitignore", ".kedge/\n")
    repository(page)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], cwd=page.folder, check=True)
    page.run("kedge check", said="in line")
    lines = [line for language, body in blocks_of(page.text) if language == "yaml" for line in re.findall(r"(?:run: |^ {4}- |entry: )(kedge .*)", body, re.M)]
    judge("ci: snippets", len(lines) == 4, lines)
    for line in lines:
        page.run(line, filled=[("${{ github.base_ref }}", "main")])
    file = page.folder / "templates/notices/arrival.mustache"
    file.write_text(file.read_text() + "{{nobody}}\n")
    for line in lines:
        done = page.run(line, code=1, filled=[("${{ github.base_ref }}", "main")])
        if "github" in line:
            judge("ci: annotations", re.search(r"^::error .*file=templates/notices/arrival\.mustache,line=\d+", done.stdout, re.M), done.stdout)
    judge("ci: SARIF", json.loads((page.folder / "kedge.sarif").read_text())["runs"][0]["results"])
    page.run("kedge check --format json > known.json", code=1)
    page.run("kedge check --baseline known.json", said="known finding")
    file.write_text(file.read_text() + "{{somebody}}\n")
    page.run("kedge check --baseline known.json", code=1)
    page.run("kedge validate")


class Servers:
    def __init__(self):
        self.databases, self.open = Databases(None), []

    def database(self):
        self.open.append(self.databases.open("postgres", None, pathlib.Path("/")))
        return self.open[-1]

    @staticmethod
    def url(database):
        return f"postgres://{USER}@/{database.name}?host={database.server.host}&port={database.server.port}"

    def stop(self):
        for database in self.open:
            database.close()
        self.databases.stop()


PAGES = [connections, diff, inspect, metadata_and_migrations, models, queries, contracts, templates, codegen, editors, ci]


def main():
    servers = Servers()
    names = {run.__name__.replace("_", "-") for run in PAGES} | {"README"}
    missing = {path.stem for path in (ROOT / "docs/guide").glob("*.md")} - names
    judge("every page of the guide is run", not missing, missing)
    try:
        with tempfile.TemporaryDirectory(prefix="kedge-guide-") as base:
            for run in PAGES:
                name = run.__name__.replace("_", "-")
                if options.only in name:
                    page = Page(name, pathlib.Path(base) / name / "project", {})
                    run(page, servers)
                    page.end()
    finally:
        servers.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
