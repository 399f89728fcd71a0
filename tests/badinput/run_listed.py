#!/usr/bin/env python3
"""The ordinary mistakes, one by one: each gives its code, the place in the file at fault, something to do about it and exit code 2, as
text and as one JSON document, and leaves every file as it was. Servers are thrown away at the end.
    run_listed.py --kedge PATH    prints `N passed, N failed`"""
import argparse
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cases" / "runner"))
sys.path.insert(1, str(HERE.parent / "support"))
from documents import document_faults                          # noqa: E402
from kt.databases import PASSWORD, USER, Databases             # noqa: E402

passed, failed = 0, 0


def judge(name, problems):
    global passed, failed
    passed, failed = passed + (not problems), failed + bool(problems)
    if problems:
        print(f"FAIL {name}: {'; '.join(map(str, problems))}"[:900])


# As pg_dump --schema-only writes it: its own commands of psql around it, and roles that no throw-away server has.
DUMP = """\\restrict h5uY
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE SCHEMA "Sch";
ALTER SCHEMA "Sch" OWNER TO "The Owner";
CREATE TABLE public.t (i integer);
ALTER TABLE public.t OWNER TO app;
CREATE POLICY p ON public.t TO reader, writer USING (true);
GRANT SELECT ON TABLE public.t TO reader, other;
ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA public GRANT SELECT ON TABLES TO third;
\\unrestrict h5uY
"""


class Mistakes:
    def __init__(self, kedge, folder):
        self.kedge, self.folder = kedge, folder

    def files(self):
        return {str(p.relative_to(self.folder)): (p.stat().st_mtime_ns, p.stat().st_size) for p in self.folder.rglob("*")
                if p.is_file() and ".kedge" not in p.parts}

    def run(self, *words, seconds=30):
        done = subprocess.run([self.kedge, *words], capture_output=True, text=True, timeout=seconds, cwd=self.folder, stdin=subprocess.DEVNULL)
        if PASSWORD in done.stdout + done.stderr or "wr0ngWord" in done.stdout + done.stderr:
            judge(f"{words[0]}: no password", ["the password is shown"])
        return done

    def check(self, name, words, code, place="", hint=True, seconds=30, document="common"):
        """`place` is file:line[:column] of the fault."""
        before = self.files()
        text = self.run(*words, seconds=seconds)
        done = self.run(*words, "--format", "json", seconds=seconds)
        problems = [f"exit {one.returncode}" for one in (text, done) if one.returncode != 2]
        try:
            said = json.loads(done.stdout)
        except ValueError:
            return judge(name, problems + [f"no JSON document: {done.stdout[:200]!r} {done.stderr[:200]!r}"])
        found = [one for one in said.get("errors") or said.get("problems") or [] if one["code"] == code]
        if not found:
            return judge(name, problems + [f"no {code} in {done.stdout[:400]}"])
        one = found[0]
        where = ":".join(pathlib.PurePath(str(one[key])).name for key in ("file", "line", "column") if key in one)
        if place and not where.startswith(place):
            problems.append(f"at {where or 'no place'}, not {place}")
        if hint and not one.get("hint") and "did you mean" not in one["message"]:
            problems.append(f"no hint: {one}")
        if code not in text.stderr + text.stdout or (place and place.split(":")[0] not in text.stderr + text.stdout):
            problems.append(f"the text says otherwise: {text.stderr[:300]!r}")
        if document and said.get("errors") and len(said) == 2:
            problems += document_faults("inspect", done.stdout)[:2]
        if self.files() != before:
            problems.append("files have changed")
        judge(name, problems)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name


def declarations(m):
    base = "name: yard\nversion: '1'\n"
    m.write("connections.yml", "yard: {connector: sqlite, path: yard.db}\n")
    for name, text, code, place in (
            ("unknown key", base + "migrat: {}\n", "PZ0101", "project.yml:3:1"),
            ("unknown key inside", base + "migrate:\n  dialectt: sqlite\n", "ERR_CONFIG", "project.yml:4:3"),
            ("wrong type", base + "migrate: [1]\n", "ERR_CONFIG", "project.yml:3"),
            ("wrong type inside", base + "migrate:\n  scope: 3\n", "ERR_CONFIG", "project.yml:4"),
            ("malformed YAML", base + "migrate: {a: [1}\n", "PZ0101", "project.yml:3"),
            ("a key twice", base + "name: other\n", "PZ0101", "project.yml:3:1")):
        m.write("project.yml", text)
        m.check(f"project.yml: {name}", ["migrate", "--dry-run"], code, place, hint=False)
    m.write("project.yml", base)
    for name, text, code, place in (
            ("unknown key", "yard: {connector: sqlite, path: yard.db, pth: x}\n", "PZ0301", "connections.yml:1:42"),
            ("wrong type", "yard:\n  connector: sqlite\n  path: [a]\n", "PZ0301", "connections.yml:3:9"),
            ("unknown connector", "yard:\n  connector: sqlyte\n", "PZ0305", "connections.yml:2:14"),
            ("malformed YAML", "yard:\n  connector: 'sqlite\n", "PZ0101", "connections.yml:3:1")):
        m.write("connections.yml", text)
        m.check(f"connections.yml: {name}", ["inspect", "yard"], code, place, hint=False)
    m.write("connections.yml", "yard: {connector: sqlite, path: yard.db}\n")
    for name, text, place in (("malformed JSON", '{"format": "kedge-schema/1",\n "tables": [}', "s.json:2:13"),
                              ("10,000 deep", b"[" * 10000 + b"]" * 10000, "s.json:1"),
                              ("another format", '{"format": "kedge-schema/99", "tables": []}', "s.json"),
                              ("wrong type", '{"format": "kedge-schema/1", "engine": {"dialect": "sqlite"},\n "tables": 7}', "s.json:2"),
                              ("merge conflict", '<<<<<<< a\n{}\n=======\n', "s.json:1")):
        m.write("s.json", text)
        m.check(f"snapshot: {name}", ["inspect", "snapshot:s.json"], "ERR_SNAPSHOT_CORRUPT", place)
    m.write("project.yml", b"name: " + b"x" * 100_000_000 + b"\n")
    m.check("100 MB YAML line", ["migrate", "--dry-run"], "PZ0101", "project.yml", hint=False, seconds=60)
    m.write("project.yml", base)


def read_only(m, db, server):
    """A database that takes no writes: nothing is applied, and the migration that was written steps aside."""
    m.write("shut/project.yml", "name: yard\nversion: '1'\n")
    m.write("shut/metadata/a.yml", "package: p\nchildren:\n  - object.entity:\n      name: Box\n      children:\n        - source.rdb: {}\n"
            "        - field.long: id\n        - identity.primary: { fields: id }\n")
    url = f"postgres://{USER}@/{db.name}?host={server.host}&port={server.port}"
    db.script("DROP TABLE t;")
    db.script(f"ALTER DATABASE {db.name} SET default_transaction_read_only = on")
    done = m.run("-C", "shut", "migrate", "--apply", "--slug", "one", "--db", url, "--format", "json")
    codes = [one["code"] for one in json.loads(done.stdout)["errors"]]
    left = [path.name for path in (m.folder / "shut/migrations").iterdir() if path.name[0] == "2"]
    judge("a database that may not be written", [] if done.returncode == 2 and codes == ["ERR_READ_ONLY"] and not left else
          [done.returncode, codes, left, done.stdout[-300:]])


def databases(m, dbs):
    con = sqlite3.connect(m.folder / "whole.db")
    con.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);" + "".join(f"CREATE TABLE t{i} (id INTEGER, a TEXT);" for i in range(80)))
    con.close()
    whole = (m.folder / "whole.db").read_bytes()
    m.write("cut.db", whole[:len(whole) // 2])
    m.write("text.db", "this is no database " * 200)
    for name in ("cut", "text"):
        m.check(f"{name}.db", ["inspect", f"sqlite:{name}.db"], "ERR_CONNECT" if name == "text" else json.loads(
            m.run("inspect", "sqlite:cut.db", "--format", "json").stdout)["errors"][0]["code"])
    m.check("no file", ["inspect", "sqlite:none.db"], "ERR_CONNECT")
    os.mkfifo(m.folder / "pipe.db")
    for url in ("sqlite:pipe.db", "duckdb:pipe.db", "sqlite:/dev/null", "sqlite:/dev/zero", "duckdb:/dev/null"):
        m.check(f"no file but {url}", ["inspect", url], "ERR_CONNECT")
    for url in ("postgres://u:wr0ngWord@127.0.0.1:1/d", "mysql://u:wr0ngWord@127.0.0.1:1/d"):
        m.check(f"no server: {url[:5]}", ["inspect", url], "ERR_CONNECT")
    m.write("bad.sql", "CREATE TABLE a (id INTEGER);\n\n  CREATE TABLE b (x INTEGER,);\n")
    for dialect, column in (("sqlite", 29), ("postgres", 29), ("mysql", 3)):  # MySQL tells no place, so the statement's own
        m.check(f"broken SQL: {dialect}", ["inspect", "sql:bad.sql", "--dialect", dialect], "ERR_FROM_SQL", f"bad.sql:3:{column}", hint=False)
    m.write("client.sql", "CREATE TABLE a (id integer);\n  \\connect other\n")
    m.check("a command of psql", ["inspect", "sql:client.sql", "--dialect", "postgres"], "ERR_FROM_SQL", "client.sql:2:3")
    m.write("dump.sql", DUMP)
    done = m.run("inspect", "sql:dump.sql", "--dialect", "postgres")
    judge("a dump with owners and \\restrict", [] if done.returncode == 0 and "policy p" in done.stdout else [done.stdout, done.stderr])
    server = dbs.server("postgres")
    db = dbs.open("postgres", None, m.folder)
    try:
        other = f"postgres://{USER}@/{db.name}?host={server.host}&port={server.port}"
        m.check("roles of a dump on a server that stays", ["inspect", "sql:dump.sql", "--dialect", "postgres", "--scratch-url", other],
                "ERR_FROM_SQL", "dump.sql:5:1")
        roles = db.query("SELECT rolname FROM pg_roles WHERE rolname IN ('The Owner', 'app', 'reader')")[1]
        judge("no role of a dump is made on a server that stays", [] if not roles else roles)
        db.script("CREATE ROLE shut LOGIN PASSWORD 'right'; CREATE TABLE t (id integer); REVOKE SELECT ON pg_catalog.pg_class FROM PUBLIC;")
        hba = server.folder / "d/pg_hba.conf"
        hba.write_text("local all shut scram-sha-256\n" + hba.read_text())
        db.query("SELECT pg_reload_conf()")
        time.sleep(0.5)
        url = f"postgres://shut:%s@/{db.name}?host={server.host}&port={server.port}"
        m.check("wrong password: postgres", ["inspect", url % "wr0ngWord"], "ERR_CONNECT")
        m.check("forbidden catalog: postgres", ["inspect", url % "right"], "ERR_INTROSPECT")
        m.check("unknown database: postgres", ["inspect", f"postgres://{USER}@/nowhere?host={server.host}&port={server.port}"], "ERR_CONNECT")
        db.script("GRANT SELECT ON pg_catalog.pg_class TO PUBLIC;")
        read_only(m, db, server)
    finally:
        db.close()
    server = dbs.server("mysql")
    m.check("wrong password: mysql", ["inspect", f"mysql://{USER}:wr0ngWord@{server.host}:{server.port}/x"], "ERR_CONNECT")


def kills(m):
    """A file that is being written is whole after a kill at any moment: the old one or the new one."""
    con = sqlite3.connect(m.folder / "many.db")
    con.executescript("".join(f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b REAL CHECK (b > {i}));" for i in range(400)))
    con.close()
    target = m.folder / "shape.json"
    words = [m.kedge, "snapshot", "sqlite:many.db", "--out", "shape.json"]
    begin = time.monotonic()
    subprocess.run(words, cwd=m.folder, check=True, capture_output=True, timeout=60)
    whole, length = target.read_bytes(), time.monotonic() - begin
    old = b'{"old": true}\n'
    seen, problems = set(), []
    for i in range(40):
        target.write_bytes(old)
        process = subprocess.Popen(words, cwd=m.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(length * (0.3 + 0.9 * i / 40))
        except subprocess.TimeoutExpired:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = target.read_bytes()
        seen.add(now == whole)
        if now not in (old, whole):
            problems.append(f"{len(now)} bytes of {len(whole)}")
    judge("kill while writing: old or new, never a part", problems)
    done = subprocess.run(words, cwd=m.folder, capture_output=True, text=True, timeout=60)
    judge("after the kills it can be written", [] if done.returncode == 0 and target.read_bytes() == whole else [done.stderr])


def full(m):
    """A write that fails leaves the old file and nothing beside it."""
    (m.folder / "full").mkdir()
    target = m.folder / "full/shape.json"
    target.write_text("old\n")
    limited = subprocess.run(["bash", "-c", f"ulimit -f 8; trap '' XFSZ; exec '{m.kedge}' snapshot sqlite:many.db --out full/shape.json"],
                             cwd=m.folder, capture_output=True, text=True, timeout=60)
    left = sorted(path.name for path in (m.folder / "full").iterdir())
    judge("no room for the file", [] if limited.returncode == 2 and "ERR_IO" in limited.stderr and target.read_text() == "old\n" and
          left == ["shape.json"] else [limited.returncode, limited.stderr[:300], left])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    kedge = os.path.abspath(parser.parse_args().kedge)
    dbs = Databases(None)
    try:
        with tempfile.TemporaryDirectory(prefix="kedge-listed-") as name:
            m = Mistakes(kedge, pathlib.Path(name))
            sqlite3.connect(m.folder / "yard.db").close()
            declarations(m)
            databases(m, dbs)
            kills(m)
            full(m)
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
