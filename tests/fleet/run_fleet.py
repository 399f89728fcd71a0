#!/usr/bin/env python3
"""A fleet: sqlite databases and one PostgreSQL server's databases, a few of them drifted. Prints the time, the
peak memory and `N passed, N failed`.
    run_fleet.py --kedge PATH [--sqlite N] [--postgres N]"""
import argparse
import json
import os
import pathlib
import pwd
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--sqlite", type=int, default=60)
parser.add_argument("--postgres", type=int, default=12)
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
SHAPE = """CREATE TABLE crates (id INTEGER PRIMARY KEY, kg REAL, lot VARCHAR(8));
CREATE INDEX idx_lot ON crates (lot);"""
passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f"FAIL {name}: {str(detail)[:400]}")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verify(folder, *arguments):
    """Its exit code, the gate, and how long it took: `1.2 s, 0.8 s of the processor`."""
    begin, before = time.monotonic(), processor_seconds()
    done = subprocess.run([kedge, "-C", str(folder), "verify", "--format", "json", *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=300)
    took = f"{time.monotonic() - begin:.2f} s, {processor_seconds() - before:.2f} s of the processor"
    document = json.loads(done.stdout)
    return done.returncode, document["gates"][0], took


def judge_lists(folder):
    """A database that is named twice counts once; a name that is none has its line."""
    (folder / "twice").mkdir()
    sqlite3.connect(folder / "twice/a.db").executescript(SHAPE).connection.close()
    (folder / "connections.yml").write_text("a:\n  connector: sqlite\n  path: twice/a.db\n")
    (folder / "fleet.txt").write_text("a\n# again\nsqlite:twice/a.db\nsqlite:twice/../twice/a.db\n")
    code, gate, _ = verify(folder, "--fleet", "fleet.txt", "--databases", "twice/*.db", "--reference", "a")
    check("named twice", code == 0 and [group["count"] for group in gate["groups"]] == [1], gate["groups"])
    (folder / "fleet.txt").write_text("a\n\nnowhere\n")
    done = subprocess.run([kedge, "-C", str(folder), "verify", "--fleet", "fleet.txt", "--reference", "a"], capture_output=True, text=True)
    check("a name that is none", done.returncode == 2 and "fleet.txt:3:1" in done.stderr + done.stdout, done.stderr)


def judge(kind, gate, code, total, drifted):
    groups = {(group["state"], tuple(group["changes"])): group["count"] for group in gate["groups"]}
    check(f"{kind}: exit", code == 1, code)
    check(f"{kind}: in line", groups.get(("in-line", ())) == total - drifted, groups)
    check(f"{kind}: drifted", sum(n for (state, _), n in groups.items() if state == "drifted") == drifted, groups)
    check(f"{kind}: the three without the index are one group",
          any(state == "drifted" and n == 3 for (state, _), n in groups.items()), groups)


def drift(index):
    return {3: "DROP INDEX idx_lot", 7: "DROP INDEX idx_lot", 9: "DROP INDEX idx_lot",
            5: "ALTER TABLE crates ADD COLUMN flag VARCHAR(2)", 8: "ALTER TABLE crates DROP COLUMN kg"}.get(index)


def sqlite_fleet(folder):
    (folder / "data").mkdir()
    for index in range(options.sqlite):
        connection = sqlite3.connect(folder / f"data/f{index:04}.sqlite")
        connection.executescript(SHAPE + (drift(index) or ""))
        connection.close()
    (folder / "wanted.sql").write_text(SHAPE)
    arguments = ["--databases", "data/*.sqlite", "--reference", f"sqlite:{folder}/data/f0000.sqlite", "--fleet-state", "state.ndjson"]
    code, gate, took = verify(folder, *arguments)
    judge("sqlite", gate, code, options.sqlite, 5)
    print(f"{options.sqlite} sqlite databases: {took}")
    code, again, took = verify(folder, *arguments)
    check("resumed from the state file", all(database["from_before"] for database in again["databases"]))
    check("same groups again", again["groups"] == gate["groups"])
    (folder / "list").write_text(f"# two\nsqlite:data/f0000.sqlite\nsqlite:data/none.sqlite\n")
    code, gate, _ = verify(folder, "--fleet", "list", "--reference", f"sqlite:{folder}/data/f0000.sqlite")
    (folder / "list").write_text("sqlite:data/none.sqlite\nsqlite:data/no.sqlite\nsqlite:data/junk.sqlite\n")
    (folder / "data/junk.sqlite").write_text("no database")
    groups = verify(folder, "--fleet", "list", "--reference", f"sqlite:{folder}/data/f0000.sqlite")[1]["groups"]
    check("unreachable databases stand with those of the same reason", [group["members"] for group in groups] ==
          [["sqlite:data/no.sqlite", "sqlite:data/none.sqlite"], ["sqlite:data/junk.sqlite"]], groups)
    check("each group says its own reason", "cannot open" in groups[0]["message"] and "cannot be read" in groups[1]["message"], groups)
    done = subprocess.run([kedge, "-C", str(folder), "verify", "--databases", "data/f[9].sqlite"], capture_output=True, text=True)
    check("a pattern that matches nothing is named", done.returncode == 2 and "no file matches 'data/f[9].sqlite'" in done.stderr, done.stderr)
    judge_patterns(folder)
    judge_state(folder)
    check("one unreachable", code == 2 and [group["state"] for group in gate["groups"]] == ["in-line", "unreachable"], gate["groups"])


def judge_patterns(folder):
    """`?` and `[..]` are patterns, and a file that has them in its name is still one of that name."""
    (folder / "patterns").mkdir()
    for name in ("f1", "f2", "f3", "fa", "f[1]"):
        shutil.copy(folder / "data/f0000.sqlite", folder / f"patterns/{name}.sqlite")
    for pattern, wanted in (("f[12].sqlite", ["f1", "f2"]), ("f?.sqlite", ["f1", "f2", "f3", "fa"]), ("f[!0-9].sqlite", ["fa"]),
                            ("f[1].sqlite", ["f1", "f[1]"]), ("*[23].sql?te", ["f2", "f3"])):
        gate = verify(folder, "--databases", f"patterns/{pattern}", "--reference", f"sqlite:{folder}/data/f0000.sqlite")[1]
        names = [pathlib.Path(database["name"]).stem for database in gate["databases"]]
        check(f"pattern {pattern}", sorted(names) == wanted, names)


def judge_state(folder):
    """A state file that someone edited: what does not read is checked again, what does is believed."""
    state = folder / "edited.ndjson"
    arguments = ["--databases", "data/f000[0-3].sqlite", "--reference", f"sqlite:{folder}/data/f0000.sqlite", "--fleet-state", "edited.ndjson"]
    code, gate, _ = verify(folder, *arguments)
    lines = sorted(state.read_text().splitlines())
    for change in (lambda line: line.pop("name"), lambda line: line.pop("state"), lambda line: line.pop("fingerprint"),
                   lambda line: line.pop("changes"), lambda line: line.update(changes={}), lambda line: line.update(changes=[1]),
                   lambda line: line.update(state="fine"), lambda line: line.update(name=7)):
        edited = json.loads(lines[0])
        change(edited)
        state.write_text("\n".join([json.dumps(edited)] + lines[1:]) + "\n")
        again = verify(folder, *arguments)
        check(f"an edited state file: {json.dumps(edited)[-60:]}", again[0] == code and again[1]["groups"] == gate["groups"] and
              sum(database["from_before"] for database in again[1]["databases"]) == len(lines) - 1, again[1])


def postgres_programs():
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return folders[0] if folders else None


def postgres_fleet(folder):
    programs = postgres_programs()
    if programs is None:
        check("postgres is installed", False)
        return
    base = pathlib.Path(tempfile.mkdtemp(prefix="kfl"))
    user = {"preexec_fn": None}
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        os.chown(base, entry.pw_uid, entry.pw_gid)
        user = {"user": entry.pw_uid, "group": entry.pw_gid}
    subprocess.run([programs / "initdb", "-D", base / "d", "-U", "kedge", "-A", "trust", "--no-sync"], check=True,
                   stdout=subprocess.DEVNULL, cwd=base, **user)
    server = subprocess.Popen([programs / "postgres", "-D", base / "d", "-k", base, "-c", "listen_addresses=", "-c", "fsync=off",
                               "-c", "max_connections=60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=base, **user)
    try:
        for _ in range(100):
            if subprocess.run(["psql", "-h", base, "-U", "kedge", "-d", "postgres", "-qc", "SELECT 1"], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        sql = lambda database, text: subprocess.run(["psql", "-h", base, "-U", "kedge", "-d", database, "-qv", "ON_ERROR_STOP=1", "-c", text], check=True)
        sql("postgres", "CREATE DATABASE f0000")
        sql("f0000", SHAPE)
        names = []
        for index in range(1, options.postgres):
            names.append(f"f{index:04}")
            sql("postgres", f"CREATE DATABASE f{index:04} TEMPLATE f0000 STRATEGY file_copy")
            if drift(index):
                sql(names[-1], drift(index))
        urls = [f"postgres://kedge@/{name}?host={base}" for name in names]
        (folder / "pg").write_text("\n".join(urls) + "\n")
        code, gate, took = verify(folder, "--fleet", "pg", "--reference", f"postgres://kedge@/f0000?host={base}")
        judge("postgres", gate, code, len(names), 5)
        print(f"{len(names)} PostgreSQL databases: {took}")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)
        shutil.rmtree(base)


with tempfile.TemporaryDirectory() as name:
    judge_lists(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    sqlite_fleet(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    postgres_fleet(pathlib.Path(name))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"peak memory of a child: {peak / 1024:.0f} MB")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
