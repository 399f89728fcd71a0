#!/usr/bin/env python3
"""inspect, snapshot, init, connections and impact as somebody at a terminal meets them, over sqlite and duckdb: what they print, in
which form, with which exit code, and that they write nothing else.
    run_commands.py --kedge PATH    prints `N passed, N failed`"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from documents import document_faults  # noqa: E402

SECRET = "s3cr3tWord"
SHAPE = """
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'none');
CREATE TABLE boat (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner (id) ON DELETE CASCADE, length REAL CHECK (length > 0));
CREATE INDEX boat_owner ON boat (owner_id);
CREATE VIEW long_boat AS SELECT id FROM boat WHERE length > 10;
"""
passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:800])


class Place:
    """A folder with a project over two databases, one that answers and one that does not."""

    def __init__(self, kedge, folder):
        self.kedge, self.folder = kedge, folder
        con = sqlite3.connect(folder / "yard.db")
        con.executescript(SHAPE)
        con.close()
        (folder / "connections.yml").write_text(
            "yard: {connector: sqlite, path: yard.db, description: what floats}\n"
            f"away: {{connector: postgres, host: 127.0.0.1, port: 1, user: u, password: {SECRET}, database: d}}\n")

    def run(self, *words, env=None):
        done = subprocess.run([self.kedge, *words], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)
        judge(f"{' '.join(words)}: no secret", SECRET not in done.stdout + done.stderr)
        return done

    def files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file()}

    def document(self, name, *words):
        done = self.run(*words, "--format", "json")
        faults = document_faults(name, done.stdout)
        judge(f"{' '.join(words)}: fits {name}.json", not faults, faults[:3])
        return done.returncode, json.loads(done.stdout)


def inspect(place):
    before = place.files()
    done = place.run("inspect", "yard")
    lines = done.stdout.splitlines()
    judge("text: head", done.returncode == 0 and lines[0].endswith(", 2 tables, 1 view"), lines[:1])
    for line in ("table boat", "view long_boat", "  primary key (id)", "  index boat_owner (owner_id)",
                 "  foreign key (owner_id) -> owner (id) on delete cascade", "  name  TEXT not null default 'none'"):
        judge(f"text: {line.strip()}", line in lines, done.stdout)
    exit_code, document = place.document("inspect", "inspect", "yard")
    tables = [table["name"] for table in document["schema"]["tables"]]
    judge("json: tables", exit_code == 0 and tables == ["boat", "owner"], tables)
    again = place.document("inspect", "inspect", "sqlite:yard.db")[1]
    judge("json: the same by name and by URL", again["fingerprint"] == document["fingerprint"])
    sql = place.run("inspect", "yard", "--format", "sql")
    (place.folder / "made.sql").write_text(sql.stdout)
    diff = place.run("diff", "yard", "sql:made.sql", "--dialect", "sqlite")
    judge("sql: makes the same", sql.returncode == 0 and diff.returncode == 0, diff.stdout + diff.stderr)
    (place.folder / "made.sql").unlink()
    mermaid = place.run("inspect", "yard", "--format", "mermaid").stdout
    judge("mermaid", mermaid.startswith("erDiagram\n") and "owner" in mermaid and "|o--o{" in mermaid, mermaid)
    dot = place.run("inspect", "yard", "--format", "dot").stdout
    judge("dot", dot.startswith("digraph") and dot.count("{") == dot.count("}") and "->" in dot, dot)
    scoped = place.document("inspect", "inspect", "yard", "--scope", "b*")[1]["schema"]
    judge("scope", [t["name"] for t in scoped["tables"]] == ["boat"] and "views" not in scoped, scoped)
    left = place.document("inspect", "inspect", "yard", "--exclude", "boat")[1]["schema"]
    judge("exclude", [t["name"] for t in left["tables"]] == ["owner"], left)
    for words, code in ((["nowhere"], "ERR_SOURCE"), (["sqlite:none.db"], "ERR_CONNECT"), (["away"], "ERR_CONNECT"),
                        (["sql:none.sql", "--dialect", "sqlite"], "ERR_SOURCE"), (["empty:"], "ERR_NO_DIALECT")):
        exit_code, document = place.document("inspect", "inspect", *words)
        judge(f"inspect {words[0]}: {code}", exit_code == 2 and document["errors"][0]["code"] == code and document["exit_code"] == 2,
              document)
    judge("inspect writes nothing", place.files() == before, set(place.files()) ^ set(before))


def diff_scope(place):
    for pattern, code in (("b*", None), ("table:boat", None), ("nothing", "ERR_SCOPE_MATCHES_NOTHING"),
                          ("view:boat", "ERR_SCOPE_MATCHES_NOTHING"), ("table:", "ERR_SCOPE_PATTERN_INVALID"),
                          ("yard::**", "ERR_SCOPE_PATTERN_INVALID"), ("", "ERR_SCOPE_PATTERN_INVALID")):
        done = subprocess.run([place.kedge, "diff", "empty:", "yard", "--scope", pattern], cwd=place.folder, capture_output=True, text=True,
                              timeout=60)
        judge(f"diff --scope {pattern}", done.returncode == (2 if code else 1) and (not code or code in done.stderr), done)
    done = subprocess.run([place.kedge, "inspect", "yard", "--scope", ""], cwd=place.folder, capture_output=True, text=True, timeout=60)
    judge("inspect --scope ''", done.returncode == 2 and "ERR_SCOPE_PATTERN_INVALID" in done.stderr and not done.stdout, done)


def bail(place):
    """sqlite3 goes on after a failed statement unless it is told not to: a script that copies a table says so, others do not."""
    (place.folder / "has.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);")
    for wanted, copies in (("v TEXT NOT NULL", True), ("v TEXT, w TEXT", False)):
        (place.folder / "wants.sql").write_text(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {wanted});")
        done = place.run("diff", "sql:has.sql", "sql:wants.sql", "--dialect", "sqlite", "--format", "sql")
        judge(f"diff --format sql: {wanted}", done.returncode == 1 and done.stdout.startswith("-- Run it with sqlite3 -bail") == copies
              and ("DROP TABLE" in done.stdout) == copies, done.stdout + done.stderr)
    for name in ("has.sql", "wants.sql"):
        (place.folder / name).unlink()


def snapshot(place):
    one, two = place.run("snapshot", "yard"), place.run("snapshot", "sqlite:yard.db")
    judge("snapshot: equal bytes", one.returncode == 0 and one.stdout == two.stdout and one.stderr == "", one.stderr)
    faults = document_faults("schema", one.stdout)
    judge("snapshot: fits schema.json", not faults, faults[:3])
    document = json.loads(one.stdout)
    judge("snapshot: canonical", one.stdout == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    out = place.run("snapshot", "yard", "--out", "deep/er/shape.json")
    written = (place.folder / "deep/er/shape.json").read_text()
    judge("snapshot --out", out.returncode == 0 and written == one.stdout)
    pipe = place.folder / "pipe"
    os.mkfifo(pipe)
    unread = place.run("snapshot", "yard", "--out", "pipe")
    judge("snapshot --out into a pipe that nobody reads", unread.returncode == 2 and "ERR_IO" in unread.stderr, unread.stderr)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    through = place.run("snapshot", "yard", "--out", "pipe")
    got = os.read(reader, 1 << 16).decode()
    os.close(reader)
    judge("snapshot --out into a pipe", through.returncode == 0 and got == one.stdout and pipe.is_fifo(), through.stderr)
    pipe.unlink()
    judge("snapshot: the file is a source", place.run("diff", "yard", "snapshot:deep/er/shape.json").returncode == 0)
    con = sqlite3.connect(place.folder / "yard.db")
    con.execute("ALTER TABLE boat ADD COLUMN name TEXT")
    con.close()
    changed = place.run("diff", "snapshot:deep/er/shape.json", "yard")
    judge("snapshot: tells what has changed", changed.returncode == 1 and "+ column boat.name" in changed.stdout, changed.stdout)
    judge("snapshot of nothing", place.run("snapshot", "nowhere").returncode == 2)


def connections(place):
    exit_code, listed = place.document("connections-list", "connections", "list")
    judge("connections list", exit_code == 0 and [one["name"] for one in listed] == ["yard", "away"], listed)
    text = place.run("connections", "list").stdout
    judge("connections list: text", "what floats" in text and "127.0.0.1" in text, text)
    exit_code, tested = place.document("connections-test", "connections", "test", "yard")
    judge("connections test", exit_code == 0 and tested[0]["ok"] and tested[0]["product"] == "SQLite", tested)
    exit_code, tested = place.document("connections-test", "connections", "test")
    states = {one["name"]: one.get("error", {}).get("code", "") for one in tested}
    judge("connections test: all", exit_code == 2 and states == {"away": "ERR_CONNECT", "yard": ""}, tested)
    exit_code, tested = place.document("connections-test", "connections", "test", "nowhere")
    judge("connections test: unknown", exit_code == 2, tested)
    (place.folder / "rows").mkdir()
    (place.folder / "rows/a.csv").write_text("id,name\n1,x\n")
    done = place.run("inspect", "duckdb:other.duckdb")
    judge("a missing file is no empty database", done.returncode == 2 and not (place.folder / "other.duckdb").exists(), done.stdout)


def impact(place):
    exit_code, found = place.document("impact", "impact", "--db", "yard", "--drop-column", "boat.length")
    judge("impact", exit_code == 1 and found["impacts"], found)


def init(kedge, folder):
    folder.mkdir()
    con = sqlite3.connect(folder / "yard.db")
    con.executescript(SHAPE)
    con.close()
    place = Place.__new__(Place)
    place.kedge, place.folder = kedge, folder
    done = place.run("init", "sqlite:yard.db", "--name", "harbour yard")
    made = set(place.files()) - {"yard.db"}
    judge("init", done.returncode == 0 and {"project.yml", "connections.yml", ".gitignore"} <= made, done.stdout + done.stderr)
    judge("init: the name", 'name: "harbour yard"' in (folder / "project.yml").read_text(), (folder / "project.yml").read_text())
    listed = place.run("connections", "test", "--format", "json")
    judge("init: the database answers", listed.returncode == 0 and len(json.loads(listed.stdout)) == 1, listed.stdout)
    judge("init: kept out of git", ".kedge/" in (folder / ".gitignore").read_text())
    (folder / "project.yml").write_text("name: mine\nversion: '1'\n")
    kept = place.files()
    again = place.run("init")
    judge("init again keeps what is there", place.files() == kept, again.stdout + again.stderr)
    judge("init: a healthy project", place.run("check").returncode == 0)
    secret = folder.parent / "secret"
    secret.mkdir()
    place.folder = secret
    place.run("init", f"postgres://u:{SECRET}@127.0.0.1:1/d")
    judge("init: no password in a file", all(SECRET.encode() not in text for text in place.files().values()), place.files())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    kedge = os.path.abspath(parser.parse_args().kedge)
    with tempfile.TemporaryDirectory(prefix="kedge-commands-") as name:
        folder = pathlib.Path(name) / "place"
        folder.mkdir()
        place = Place(kedge, folder)
        for part in (inspect, diff_scope, bail, snapshot, connections, impact):
            part(place)
        init(kedge, pathlib.Path(name) / "fresh")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
