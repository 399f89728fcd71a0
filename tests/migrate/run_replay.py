#!/usr/bin/env python3
"""Throw-away engines of `verify --replay`: as root and as an ordinary user, ended by signals in the middle, and missing. Nothing stays:
no process, no folder; what was not replayed is neither passed nor skipped.

usage: run_replay.py --kedge PATH [--duckdb-lib FILE] [--only PART]
Last line: N passed, N failed.
"""
import argparse
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases, SqlError  # noqa: E402

SLOW = {"sqlite": "CREATE TABLE slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000000) SELECT max(i) AS m FROM n;",
        "postgres": "SELECT pg_sleep(60);", "mysql": "SELECT SLEEP(60);",
        "duckdb": "CREATE TABLE slow AS SELECT sum(a.i * b.i) AS s FROM range(2000000) a(i), range(2000000) b(i);"}


class Home:
    """A project, a home and a temporary folder of a user; the folder is empty when nothing was left behind."""

    def __init__(self, kedge, dialect, user, slow):
        self.base = Path(tempfile.mkdtemp(prefix="kr", dir="/tmp"))
        self.kedge, self.user = kedge, user
        for name in ("p/migrations/20270101000001-a", "t", "h"):
            (self.base / name).mkdir(parents=True)
        (self.base / "p/project.yml").write_text(f"name: t\nversion: 1.0.0\nmigrate:\n  dialect: {dialect}\n")
        up = "CREATE TABLE a (id INTEGER PRIMARY KEY);\n" + (SLOW[dialect] + "\n" if slow else "")
        (self.base / "p/migrations/20270101000001-a/up.sql").write_text(up)
        (self.base / "p/migrations/20270101000001-a/down.sql").write_text("DROP TABLE a;\n")
        self.base.chmod(0o755)
        for path in [self.base, *self.base.rglob("*")]:
            if user:
                os.chown(path, user.pw_uid, user.pw_gid)
        (self.base / "t").chmod(0o1777)
        self.env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), "HOME": str(self.base / "h"), "TMPDIR": str(self.base / "t"), "XDG_CACHE_HOME": str(self.base / "h")}

    def who(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def start(self, *words, **more):
        return subprocess.Popen([self.kedge, "-C", str(self.base / "p"), *words], env={**self.env, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd="/", **self.who())

    def run(self, *words, **more):
        child = self.start(*words, **more)
        out, err = child.communicate(timeout=120)
        return child.returncode, out, err

    def folders(self):
        return sorted(path.name for path in (self.base / "t").iterdir())

    def processes(self):
        """Command lines that name our temporary folder."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                except OSError:
                    continue
                if str(self.base / "t") in words:
                    found.append(words[:120])
        return found

    def left_clean(self, what):
        deadline = time.monotonic() + 20
        while (self.folders() or self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not self.folders() and not self.processes(), f"{what} left {self.folders()} {self.processes()}"

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)


def users():
    """Ourselves and, when we are root, an ordinary user."""
    if os.geteuid() != 0:
        return [None]
    return [None, pwd.getpwnam("nobody")]


def name_of(user):
    return user.pw_name if user else ("root" if os.geteuid() == 0 else "an ordinary user")


def whole(kedge, dialect, user):
    home = Home(kedge, dialect, user, slow=False)
    try:
        for words in (("verify", "--replay"), ("verify", "--replay", "--with-down"), ("migrate", "snapshot", "--rebuild"), ("verify", "--replay-snapshot")):
            code, out, err = home.run(*words)
            assert code == 0, f"{dialect} as {name_of(user)}: {' '.join(words)}: exit {code}: {err[-800:]}"
        home.left_clean(f"{dialect} as {name_of(user)}")
    finally:
        home.close()


def ended(kedge, dialect, user, number):
    home = Home(kedge, dialect, user, slow=True)
    try:
        child = home.start("verify", "--replay")
        deadline = time.monotonic() + 40
        # The engine is there when its folder is; the slow statement then runs for long.
        while not home.folders() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(1.5)
        assert child.poll() is None, f"{dialect}: ended by itself: {child.communicate()[1][-500:]}"
        assert home.folders(), f"{dialect}: no folder was made"
        child.send_signal(number)
        child.communicate(timeout=30)
        assert child.returncode != 0, f"{dialect}: {number.name}: exit {child.returncode}"
        home.left_clean(f"{dialect} as {name_of(user)} after {number.name}")
    finally:
        home.close()


def on_a_server(kedge, dialect, dbs, number):
    """--scratch-url: what was made on somebody else's server is gone again, after a whole run and after a signal in its middle."""
    database = dbs.open(dialect, Path("unused"), Path("/tmp"))
    said, variables = database.connection(), database.variables()
    if dialect == "postgres":
        url = f"postgres://{said['user']}@/{said['database']}?host={said['host']}&port={said['port']}"
        listed = "SELECT count(*) FROM pg_database WHERE datname LIKE 'kedge_scratch_%'"
    else:
        url = f"mysql://{said['user']}:{variables['KT_MY_PASSWORD']}@{said['host']}:{said['port']}/{said['database']}"
        listed = "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'kedge_scratch_%'"
    home = Home(kedge, dialect, None, slow=number is not None)

    def left():
        return int(database.query(listed)[1][0][0])
    try:
        child = home.start("verify", "--replay", "--scratch-url", url)
        if number is not None:
            deadline = time.monotonic() + 40
            while not left() and child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            assert child.poll() is None and left() == 1, f"no database was made: {child.communicate()[1][-500:] if child.poll() is not None else left()}"
            child.send_signal(number)
        out, err = child.communicate(timeout=60)
        assert child.returncode == (0 if number is None else -number), f"exit {child.returncode}: {out[-300:]}{err[-500:]}"
        assert left() == 0, "kedge_scratch_* is left on the server"
        home.left_clean(dialect)
    finally:
        home.close()
        database.close()


def missing(kedge):
    """Without programs and without a server to be given: exit 2, both remedies, no word of success."""
    for dialect, flags in (("postgres", ["--pg-bin", "/nowhere"]), ("mysql", [])):
        home = Home(kedge, dialect, None, slow=False)
        try:
            empty = home.base / "h" / "bin"
            empty.mkdir()
            code, out, err = home.run("verify", "--replay", *flags, **({"PATH": str(empty)} if dialect == "mysql" else {}))
            if dialect == "mysql" and code == 0:
                continue  # found outside of PATH
            assert code == 2 and "ERR_SCRATCH_UNAVAILABLE" in err and "--scratch-url" in err, f"{dialect}: exit {code}: {out}{err}"
            assert "replayed" not in out and "skipped" not in out + err, out + err
            code, out, err = home.run("verify", "--replay", "--format", "json", *flags, **({"PATH": str(empty)} if dialect == "mysql" else {}))
            assert code == 2 and '"ok": true' not in out, out
            home.left_clean(dialect)
        finally:
            home.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--only", default="", help="a part of the names of the tests to run")
    args = parser.parse_args()
    # Somewhere an ordinary user may read it.
    shelf = Path(tempfile.mkdtemp(prefix="kedge-replay-bin", dir="/tmp"))
    shelf.chmod(0o755)
    kedge = str(shelf / "kedge")
    shutil.copy(args.kedge, kedge)
    if args.duckdb_lib:
        os.environ["LD_LIBRARY_PATH"] = str(shelf)
        shutil.copy(args.duckdb_lib, shelf / "libduckdb.so")
    tests = [("missing engines", lambda: missing(kedge))]
    for dialect in ("sqlite", "duckdb", "postgres", "mysql"):
        for user in users():
            tests.append((f"{dialect} as {name_of(user)}", lambda d=dialect, u=user: whole(kedge, d, u)))
            for number in (signal.SIGTERM, signal.SIGKILL):
                tests.append((f"{dialect} as {name_of(user)}, {number.name}", lambda d=dialect, u=user, n=number: ended(kedge, d, u, n)))
    dbs = Databases(None)
    for dialect in ("postgres", "mysql"):
        for number in (None, signal.SIGTERM, signal.SIGINT):
            tests.append((f"{dialect} with --scratch-url, {number.name if number else 'whole'}",
                          lambda d=dialect, n=number: on_a_server(kedge, d, dbs, n)))
    passed = failed = 0
    try:
        for name, test in tests:
            if args.only not in name:
                continue
            try:
                test()
                passed += 1
            except (AssertionError, subprocess.TimeoutExpired, OSError, SqlError) as error:
                failed += 1
                print(f"FAIL {name}: {str(error)[:1500]}")
            sys.stdout.flush()
    finally:
        dbs.stop()
        shutil.rmtree(shelf, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
