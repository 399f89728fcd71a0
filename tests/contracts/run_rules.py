#!/usr/bin/env python3
"""Rules of runs that cases cannot say: time-outs, kills, locks, permissions, full disks, two runs at once,
baselines over many processes, and what `schema accept` touches.

run_rules.py --kedge PATH [--duckdb-lib LIB] [--only WORD] [-v]
Prints what does not hold and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.common import Skip, dump_yaml, tree  # noqa: E402
from kt.databases import Databases, SqlError  # noqa: E402

SLOW = "SELECT count(*) AS n FROM range(2000000) a, range(100000) b WHERE a.range * b.range % 7 = 3"


class Failed(Exception):
    """A check that does not hold."""


def must(condition, text):
    if not condition:
        raise Failed(text)


def without_override():
    """For the child: root, too, is bound by permission bits."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):   # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)


def small_files():
    """For the child: no file may grow beyond 64 KiB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            raise Failed(f"no JSON document: {self.out[-300:]!r} {self.err[-300:]!r}") from None

    def expect(self, code, *texts):
        must(self.code == code, f"exit {self.code}, expected {code}: {(self.err or self.out)[-400:]!r}")
        for text in texts:
            must(text in self.out + self.err, f"{text!r} missing in {(self.err + self.out)[-500:]!r}")
        return self


class Project:
    def __init__(self, kedge, folder: Path, connections: dict, settings=""):
        self.kedge, self.folder, self.variables, self.started = kedge, folder, {}, []
        folder.mkdir(parents=True)
        self.write("project.yml", "name: rules\nversion: 1.0.0\n" + settings)
        self.write("connections.yml", dump_yaml(connections))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                **{k: str(v) for k, v in self.variables.items()}}

    def start(self, *args, prefix=(), child=None):
        process = subprocess.Popen([*prefix, self.kedge, "-C", self.folder, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment(), preexec_fn=child)
        self.started.append(process)
        return process

    def end(self, process, seconds=120):
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"still running after {seconds} s") from None
        return Done(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def run(self, *args, **more):
        return self.end(self.start(*args, **more))

    def runs(self):
        return sorted((self.folder / ".kedge/runs").glob("*"))

    def record(self):
        return json.loads((self.runs()[-1] / "run.json").read_text())

    def wait_for(self, path, text="", seconds=20):
        """Until a file of the newest run (or of the project) is there and holds the text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for found in self.folder.glob(path):
                if text in found.read_text("utf-8", "replace"):
                    return found
            time.sleep(0.02)
        raise Failed(f"{path} with {text!r} did not appear")


def sqlite_file(path: Path, script: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.executescript(script)
    database.close()


class Checks:
    def __init__(self, args, folder):
        self.args, self.folder, self.count = args, folder, 0
        self.databases = Databases(args.duckdb_lib)
        self.results = {"passed": 0, "failed": 0, "skipped": 0}

    def project(self, connections, settings=""):
        self.count += 1
        self.current = Project(self.args.kedge, self.folder / f"p{self.count}", connections, settings)
        return self.current

    def check(self, function):
        name = function.__name__
        if self.args.only and self.args.only not in name:
            return
        started = time.monotonic()
        self.current = None
        try:
            function(self)
            self.results["passed"] += 1
            if self.args.verbose:
                print(f"pass {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Skip as why:
            self.results["skipped"] += 1
            print(f"SKIP {name}: {why}", flush=True)
        except (Failed, SqlError, KeyError, IndexError, OSError) as why:
            self.results["failed"] += 1
            print(f"FAIL {name}: {type(why).__name__ if not isinstance(why, Failed) else ''} {why}", flush=True)
        finally:
            for process in self.current.started if self.current else []:
                if process.poll() is None:
                    process.kill()
                    process.communicate()


# ------------------------------------------------------------------------------------------------------ time and signals

def a_node_is_ended_by_its_time_limit(checks):
    """PZ0525: its statements are cancelled, what depends on it is skipped, the rest goes on."""
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}}, "engine: {node_timeout: 3s}\n")
    p.write("pipelines/slow.sql", "INSERT INTO {{ sink('out', 'slow', strategy: 'replace') }}\n" + SLOW)
    p.write("pipelines/quick.sql", "INSERT INTO {{ sink('out', 'quick', strategy: 'replace') }}\nSELECT 1 AS x")
    started = time.monotonic()
    done = p.run("run", "--all", "--format", "json").expect(1, "error PZ0525: node 'slow' took longer than engine.node_timeout")
    must(time.monotonic() - started < 12, "the time limit was kept too late")
    status = {n["name"]: n["status"] for n in done.json()["nodes"]}
    must(status == {"slow": "failed", "out.slow": "skipped", "quick": "success", "out.quick": "success"}, str(status))
    must((p.folder / "out/quick.parquet").exists() and not (p.folder / "out/slow.parquet").exists(), "the wrong files")


def a_wait_between_attempts_counts_as_time_of_the_node(checks):
    p = checks.project({"far": {"connector": "postgres", "host": "127.0.0.1", "port": 1, "database": "d", "retry": {"base_delay": "60s", "max_delay": "60s"}},
                        "out": {"connector": "localfiles", "root": "out"}}, "engine: {node_timeout: 500ms}\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', strategy: 'replace') }}\nSELECT * FROM {{ source('far', 't', columns: {a: 'int'}) }}")
    started = time.monotonic()
    p.run("run", "--all").expect(1, "PZ0525")
    must(time.monotonic() - started < 8, "the delay was slept through")


class DeafServer:
    """Takes connections and never answers: what waits for it cannot be cancelled."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.connection = {"connector": "postgres", "host": "127.0.0.1", "port": self.socket.getsockname()[1], "database": "d", "user": "u",
                "connect_timeout_seconds": 600, "retry": {"max_attempts": 1}}
        return self

    def __exit__(self, *_):
        self.socket.close()

    def wait(self):
        """Until somebody is connected, and waits."""
        self.socket.settimeout(20)
        self.taken = self.socket.accept()
        time.sleep(0.1)


def a_node_that_does_not_stop_is_left_behind(checks):
    """PZ0526: waiting for a server that never answers cannot be cancelled; the run ends all the same, and the rest goes on."""
    with DeafServer() as deaf:
        p = checks.project({"far": deaf.connection, "out": {"connector": "localfiles", "root": "out"}}, "engine: {node_timeout: 3s, threads: 1}\n")
        p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', strategy: 'replace') }}\nSELECT * FROM {{ source('far', 't', columns: {a: 'int'}) }}")
        p.write("pipelines/quick.sql", "INSERT INTO {{ sink('out', 'quick', strategy: 'replace') }}\nSELECT 1 AS x")
        done = p.end(p.start("run", "--all", "--format", "json"), 40).expect(1, "error PZ0526: node 'src_far__t' did not stop after its time-out")
    status = {n["name"]: n["status"] for n in done.json()["nodes"]}
    must(status == {"src_far__t": "failed", "a": "skipped", "out.a": "skipped", "quick": "success", "out.quick": "success"}, str(status))
    must(p.record()["status"] == "completed_with_failures", "the record")


def a_pipe_in_a_folder_of_files_is_no_file(checks):
    """Nothing waits for somebody to write into it."""
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {
        "one": {"read": {"path": "t1.csv", "columns": {"a": "int"}}}, "all": {"read": {"path": "t*.csv", "columns": {"a": "int"}}}}}})
    (p.folder / "in").mkdir()
    os.mkfifo(p.folder / "in/t1.csv")
    done = p.end(p.start("run", "--select", "source:*", "--format", "json"), 20).expect(1)
    codes = {n["name"]: n["error"]["code"] for n in done.json()["nodes"]}
    must(codes == {"src_inb__one": "PZ0353", "src_inb__all": "PZ0353"}, str(codes))


def a_signal_ends_the_run_well(checks):
    """Ctrl-C and SIGTERM: statements end, open writes roll back, the record says interrupted, exit 2."""
    for number in (signal.SIGINT, signal.SIGTERM):
        p = checks.project({"dst": {"connector": "sqlite", "path": "dst.db"}})
        p.write("pipelines/slow.sql", "INSERT INTO {{ sink('dst', 'slow', strategy: 'replace') }}\n" + SLOW)
        # At any moment: before the statement, in it, between two.
        for delay in (0, 0.01, 0.05, 0.3):
            process = p.start("run", "--all")
            p.wait_for(".kedge/runs/*/events.ndjson", '"event":"node_started"')
            time.sleep(delay)
            interrupt(p, process, number)
            must(not (p.folder / "dst.db").exists(), "a target was made")
            shutil.rmtree(p.folder / ".kedge")
        process = p.start("run", "--all")
        p.wait_for(".kedge/runs/*/events.ndjson", '"event":"node_started"')
        interrupt(p, process, number)
        p.run("retry", "--vars", "{}", prefix=("timeout", "-s", "INT", "2"))   # an interrupted run can be tried again
        must(len(p.runs()) == 2, "retry of an interrupted run did not start")


def interrupt(p, process, number):
    """The signal, and what must come of it."""
    started = time.monotonic()
    process.send_signal(number)
    done = p.end(process, 20).expect(2)
    must(time.monotonic() - started < 5, f"the run went on for {time.monotonic() - started:.1f} s")
    record = p.record()
    must(record["status"] == "interrupted", str(record["status"]))
    must(all(n["status"] in ("success", "skipped") or "interrupted" in n["error"]["message"] for n in record["nodes"]), str(record["nodes"]))
    return done


def a_signal_ends_work_inside_servers(checks):
    """Reads, checks and writes of Postgres: the server stops working too, and the target is as before."""
    database = checks.databases.open("postgres", checks.folder, checks.folder)
    busy = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' "
            "AND query NOT LIKE 'LOCK%'")
    try:
        database.script("CREATE TABLE held (x bigint); INSERT INTO held VALUES (1)")
        connection = {**database.connection(), "password": "x", "command_timeout_seconds": 0}

        def run_until(what, nodes, sql):
            p = checks.project({"pg": connection, "out": {"connector": "localfiles", "root": "out"}})
            p.write("pipelines/a.sql", sql)
            process = p.start("run", "--all")
            end = time.monotonic() + 20
            while database.query(busy + f" AND query LIKE '%{what}%'")[1] == [["0"]]:
                must(time.monotonic() < end and process.poll() is None, f"{what} did not begin")
                time.sleep(0.05)
            interrupt(p, process, signal.SIGINT)
            must(p.record()["nodes"][nodes]["status"] == "failed", str(p.record()["nodes"]))
            end = time.monotonic() + 5
            while database.query(busy)[1] != [["0"]]:
                must(time.monotonic() < end, "the server still works on it")
                time.sleep(0.05)

        run_until("pg_sleep", 0, "INSERT INTO {{ sink('out', 'a') }}\nSELECT * FROM {{ source('pg', 't', query: 'SELECT 1 AS a, pg_sleep(300)::text AS s', "
                  "columns: {a: 'int'}) }}")
        holder = subprocess.Popen([database.server.psql, "-X", "-q", "-h", database.server.host, "-p", str(database.server.port), "-U",
                                   connection["user"], "-d", database.name], stdin=subprocess.PIPE, text=True)
        try:
            holder.stdin.write("BEGIN; LOCK TABLE held IN SHARE MODE;\n")
            holder.stdin.flush()
            run_until("held", -1, "INSERT INTO {{ sink('pg', 'held', strategy: 'replace') }}\nSELECT 7::BIGINT AS x")
        finally:
            holder.communicate("ROLLBACK;\n")
        must(database.query("SELECT x FROM held")[1] == [["1"]], "the target changed")
    finally:
        database.close()


def a_signal_does_not_wait_for_a_deaf_server(checks):
    with DeafServer() as deaf:
        p = checks.project({"far": deaf.connection, "out": {"connector": "localfiles", "root": "out"}})
        p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT * FROM {{ source('far', 't', columns: {a: 'int'}) }}")
        process = p.start("run", "--all")
        deaf.wait()
        process.send_signal(signal.SIGINT)
        p.end(process, 20).expect(2, "PZ0526", "did not stop after the interruption")
        must(p.record()["status"] == "interrupted", p.record()["status"])
        process = p.start("run", "--all")                                      # a second signal ends it at once
        deaf.wait()
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        must(p.end(process, 2).code == -signal.SIGINT, "the second signal")


class Gate:
    """A read that waits until the test lets it go on."""
    SQL = "INSERT INTO {{ sink('out', 'long', strategy: 'replace') }}\nSELECT * FROM {{ source('gate', 'g') }}"

    def __init__(self, checks):
        self.database = checks.databases.open("postgres", checks.folder, checks.folder)
        server = self.database.server
        self.connection = {**self.database.connection(), "password": "x", "command_timeout_seconds": 0, "entities": {"g": {"read": {
            "query": "SELECT 1 AS x FROM (SELECT pg_advisory_xact_lock(7)) t", "columns": {"x": "int"}}}}}
        self.holder = subprocess.Popen([server.psql, "-X", "-q", "-h", server.host, "-p", str(server.port), "-U", self.connection["user"],
                                        "-d", self.database.name], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.holder.stdin.write("SELECT pg_advisory_lock(7);\n")
        self.holder.stdin.flush()
        end = time.monotonic() + 30
        while self.database.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")[1] == [["0"]]:
            if self.holder.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise Failed("the gate was not closed")
            time.sleep(0.05)

    def open(self):
        if self.holder.poll() is None:
            self.holder.communicate("")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open()
        self.database.close()


def a_killed_run_cannot_be_retried(checks):
    """PZ0503: the record of a run that died says running."""
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}})
    p.write("pipelines/slow.sql", "INSERT INTO {{ sink('out', 'slow', strategy: 'replace') }}\n" + SLOW)
    process = p.start("run", "--all")
    p.wait_for(".kedge/runs/*/run.json", '"running"')
    p.run("retry").expect(2, "PZ0503")
    process.kill()
    process.communicate()
    run = p.runs()[-1].name
    p.run("retry").expect(2, "error PZ0503", run)
    must(p.run("retry", "--format", "json").json()["errors"][0]["code"] == "PZ0503", "json")


def a_run_that_could_not_begin_is_fatal(checks):
    """PZ0504, PZ0532: without room for the staging database no node starts."""
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}})
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', strategy: 'replace') }}\nSELECT 1 AS x")

    def tiny():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    p.run("run", "--all", child=tiny).expect(2, "PZ0532")
    must(p.record()["status"] == "fatal", p.record()["status"])
    p.run("retry").expect(2, "PZ0504")


# -------------------------------------------------------------------------------------------------------- disk and locks

def a_read_only_state_folder_is_named(checks):
    """PZ0531 under .kedge, for every command that writes there; nothing half done."""
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {}}}},
                        "out": {"connector": "localfiles", "root": "out"}}, "on_source_drift: warn\n")
    p.write("in/t.csv", "a\n1\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', strategy: 'replace') }}\nSELECT * FROM {{ source('inb', 't') }}")
    (p.folder / ".kedge").mkdir()
    (p.folder / ".kedge").chmod(0o555)
    try:
        p.run("run", "--all", child=without_override).expect(2, "PZ0531")
        must(not (p.folder / "out").exists(), "a target was written without a record")
    finally:
        (p.folder / ".kedge").chmod(0o755)
    p.run("run", "--all").expect(0)
    p.write("in/t.csv", "a,b\n1,2\n")
    p.run("run", "--all").expect(0, "PZ0331")
    before = tree(p.folder / ".kedge/state")
    (p.folder / ".kedge/state").chmod(0o555)
    try:
        p.run("schema", "accept", child=without_override).expect(2, "PZ0531")
        must(tree(p.folder / ".kedge/state") == before, "the state changed")
    finally:
        (p.folder / ".kedge/state").chmod(0o755)
    p.run("schema", "accept").expect(0, "accepted 1")


def a_target_that_may_not_be_written(checks):
    """PZ0531 on a target: files, sqlite, duckdb, postgres."""
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}, "lite": {"connector": "sqlite", "path": "db/l.db"},
                        "duck": {"connector": "duckdb", "path": "db/d.db"}})
    for target in ("out", "lite", "duck"):
        p.write(f"pipelines/{target}.sql", f"INSERT INTO {{{{ sink('{target}', 't', strategy: 'replace') }}}}\nSELECT 1 AS x")
    (p.folder / "db").mkdir()
    p.run("run", "--all").expect(0)
    for name in ("out", "db", "db/l.db", "db/d.db", "out/t.parquet"):
        path = p.folder / name
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = p.run("run", "--all", "--format", "json", child=without_override).expect(1)
    finally:
        for name in ("out", "db", "db/l.db", "db/d.db", "out/t.parquet"):
            path = p.folder / name
            path.chmod(0o755 if path.is_dir() else 0o644)
    codes = {n["name"]: n["error"]["code"] for n in done.json()["nodes"] if n["kind"] == "write"}
    must(codes == {"out.t": "PZ0531", "lite.t": "PZ0531", "duck.t": "PZ0531"}, str(codes))


def a_source_that_may_not_be_read(checks):
    """An unreadable source is a failed read of that source, not a broken contract."""
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {"columns": {"a": "int"}}}, "u": {"read": {}}}},
                        "lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {}}}}})
    p.write("in/t.csv", "a\n1\n")
    p.write("in/u.csv", "a\n1\n")
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (a)")
    for name in ("in/t.csv", "in/u.csv", "l.db"):
        (p.folder / name).chmod(0)
    done = p.run("run", "--select", "source:*", "--format", "json", child=without_override).expect(1)
    codes = {n["name"]: n["error"]["code"] for n in done.json()["nodes"]}
    must(codes == {"src_inb__t": "PZ0330", "src_inb__u": "PZ0330", "src_lite__t": "PZ0330"}, str(codes))
    p.run("validate", "--connect", child=without_override).expect(2, "PZ0330")


def a_full_disk_is_named(checks):
    """PZ0532 on a target of files, on sqlite and on duckdb; what was there stays."""
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}, "lite": {"connector": "sqlite", "path": "l.db"},
                        "duck": {"connector": "duckdb", "path": "d.db"}}, "engine: {threads: 1}\n")
    for target in ("out", "lite"):
        p.write(f"pipelines/{target}.sql", f"INSERT INTO {{{{ sink('{target}', 't', strategy: 'replace') }}}}\nSELECT 1 AS x")
    p.run("run", "--all").expect(0)
    before = (p.folder / "out/t.parquet").read_bytes()
    for target in ("out", "lite"):
        p.write(f"pipelines/{target}.sql", f"INSERT INTO {{{{ sink('{target}', 't', strategy: 'replace') }}}}\n"
                                           "SELECT (range * 7919)::INTEGER AS x FROM range(300000)")

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    # The staged rows are compressed; the files of the targets are not below the limit.
    p.write("pipelines/out.sql", "INSERT INTO {{ sink('out', 't', strategy: 'replace', format: 'csv', path: 't.csv') }}\n"
                                 "SELECT 1000000000 + range % 10 AS x FROM range(300000)")
    p.write("pipelines/lite.sql", "INSERT INTO {{ sink('lite', 't', strategy: 'replace') }}\nSELECT (1 + range % 10)::INTEGER AS x FROM range(300000)")
    done = p.run("run", "--all", "--format", "json", child=small)
    done.expect(1)
    codes = {n["name"]: n.get("error", {}).get("code") for n in done.json()["nodes"]}
    must(codes["out.t"] == "PZ0532" and codes["lite.t"] == "PZ0532", str(codes))
    must((p.folder / "out/t.parquet").read_bytes() == before, "another file changed")
    must(sorted(f.name for f in (p.folder / "out").iterdir()) == ["t.parquet"], "a part of a file was left")
    with sqlite3.connect(p.folder / "l.db") as database:
        must(database.execute("SELECT x FROM t").fetchall() == [(1,)], "the table changed")


def a_locked_target_is_named(checks):
    """PZ0533: the lock is waited for as retry: says, then the write fails and nothing is changed."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "retry": {"max_attempts": 1}}})
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('lite', 't', strategy: 'replace') }}\nSELECT 2 AS x")
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1);")
    holder = sqlite3.connect(p.folder / "l.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        p.run("run", "--all").expect(1, "PZ0533")
        must(p.record()["nodes"][-1]["error"]["code"] == "PZ0533", str(p.record()["nodes"][-1]))
    finally:
        holder.execute("ROLLBACK")
        must(holder.execute("SELECT x FROM t").fetchall() == [(1,)], "rows changed")
        holder.close()
    p.run("retry").expect(0)


def a_failed_write_leaves_the_new_file_of_another(checks):
    """Two writes into one database file that is not there: the one that fails takes nothing of the other away."""
    files = range(12)
    p = checks.project({f"n{i}": {"connector": "sqlite", "path": f"n{i}.db"} for i in files}, "engine: {threads: 4}\n")
    for i in files:
        p.write(f"pipelines/bad{i}.sql", f"INSERT INTO {{{{ sink('n{i}', 'bad') }}}}\nSELECT 'nan'::DOUBLE AS x")
        p.write(f"pipelines/good{i}.sql", f"INSERT INTO {{{{ sink('n{i}', 'good') }}}}\nSELECT 1 AS x")
    p.run("run", "--all").expect(1)
    written = [n["name"] for n in p.record()["nodes"] if n["kind"] == "write" and n["status"] == "success"]
    must(len(written) == len(files), f"{written}")
    for i in files:
        with contextlib.closing(sqlite3.connect(p.folder / f"n{i}.db")) as database:
            must(database.execute("SELECT name FROM sqlite_master").fetchall() == [("good",)], f"n{i}.db lost its table")


def a_held_state_lock_is_waited_for_and_named(checks):
    """PZ0533 under .kedge: commands that change state say who is in the way; a free lock is taken at once."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {"sync": {"mode": "incremental", "cursor": "id"}}}}},
                        "dst": {"connector": "sqlite", "path": "d.db"}})
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (5);")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('lite', 't') }}")
    p.run("run", "--all").expect(0)
    lock = next(f for f in (p.folder / ".kedge").rglob("*lock*"))
    with open(lock, "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        before = tree(p.folder / ".kedge/state")
        for words in (("state", "set", "lite.t", "--value", "3", "--yes"), ("state", "clear", "lite.t", "--yes"), ("clean",)):
            p.run(*words).expect(2, "PZ0533")
        must(tree(p.folder / ".kedge/state") == before, "the state changed")
        p.run("state", "show").expect(0, "lite.t")
    p.run("state", "set", "lite.t", "--value", "3", "--yes").expect(0)


# ------------------------------------------------------------------------------------------------------ two runs at once

def incremental(checks, more=None):
    p = checks.project({**(more or {}), "lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {"sync": {"mode": "incremental", "cursor": "id"}}}}},
                        "dst": {"connector": "sqlite", "path": "d.db"}, "out": {"connector": "localfiles", "root": "out"}})
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (1);")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('lite', 't') }}")
    p.run("run", "a").expect(0)
    return p


def cursor(p):
    return json.loads((p.folder / ".kedge/state/watermarks.json").read_text())["lite.t"]["value"]


def the_later_of_two_runs_keeps_its_hands_off_a_cursor(checks):
    """PZ0520: exit 1, the cursor stays what the other one stored, what was written stays written."""
    with Gate(checks) as gate:
        p = incremental(checks, {"gate": gate.connection})
        p.write("pipelines/long.sql", gate.SQL)
        sqlite_file(p.folder / "l.db", "INSERT INTO t VALUES (2);")
        slow = p.start("run", "--all", "--format", "json")
        found = p.wait_for(".kedge/runs/*/run.json", '"running"')
        p.wait_for(str(found.parent.relative_to(p.folder)) + "/events.ndjson", '"kind":"write","name":"dst.t","status":"success"')
        sqlite_file(p.folder / "l.db", "INSERT INTO t VALUES (9);")
        p.run("run", "a").expect(0)
        must(cursor(p) == "9", cursor(p))
        gate.open()
        done = p.end(slow).expect(1, "PZ0520")
    must(cursor(p) == "9", f"the cursor went to {cursor(p)}")
    node = next(n for n in done.json()["nodes"] if n["name"] == "src_lite__t")
    must(node["status"] == "failed" and node["error"]["code"] == "PZ0520", str(node))
    must(done.json()["status"] == "completed_with_failures", done.json()["status"])


def the_later_of_two_runs_keeps_its_hands_off_a_baseline(checks):
    with Gate(checks) as gate:
        p = checks.project({"gate": gate.connection, "inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {}}}}},
                           "on_source_drift: warn\nengine: {threads: 1}\n")
        p.write("in/t.csv", "a\n1\n")
        process = p.start("run", "--select", "source:*")
        p.wait_for(".kedge/runs/*/events.ndjson", '"name":"src_gate__g"')
        p.run("run", "--select", "source:inb.t").expect(0)
        first = json.loads((p.folder / ".kedge/state/schemas.json").read_text())["inb.t"]
        gate.open()
        p.end(process).expect(0, "note PZ0520: entity 'inb.t': its baseline was changed by another run in the meantime and is kept")
    must(json.loads((p.folder / ".kedge/state/schemas.json").read_text())["inb.t"] == first, "the baseline moved")


def an_unstored_cursor_is_a_notice(checks):
    """PZ0527: the data is there, the exit code is 0, the next run reads the same slice again."""
    p = incremental(checks)
    sqlite_file(p.folder / "l.db", "INSERT INTO t VALUES (2);")
    (p.folder / ".kedge/state").chmod(0o555)
    try:
        p.run("run", "a", child=without_override).expect(0, "note PZ0527")
    finally:
        (p.folder / ".kedge/state").chmod(0o755)
    must(cursor(p) == "1", cursor(p))
    with sqlite3.connect(p.folder / "d.db") as database:
        must(database.execute("SELECT count(*) FROM t").fetchone() == (2,), "the rows were not delivered")
    p.run("run", "a").expect(0)
    must(cursor(p) == "2", cursor(p))


def accept_looks_at_the_newest_finished_run(checks):
    """A run that is going on neither disturbs an accept nor is taken for the latest one; clean leaves it alone."""
    with Gate(checks) as gate:
        p = checks.project({"gate": gate.connection, "inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {}}}},
                            "out": {"connector": "localfiles", "root": "out"}}, "on_source_drift: warn\n")
        p.write("in/t.csv", "a\n1\n")
        p.write("pipelines/long.sql", gate.SQL)
        p.run("run", "--select", "source:inb.t").expect(0)
        p.write("in/t.csv", "a,b\n1,2\n")
        p.run("run", "--select", "source:inb.t").expect(0, "PZ0331")
        process = p.start("run", "long")
        p.wait_for(".kedge/runs/*/run.json", '"running"')
        p.run("schema", "accept").expect(0, "inb.t: column 'b' added (BIGINT)", "accepted 1")
        p.run("clean", "--purge").expect(0)
        must(len(p.runs()) == 1, "clean took a run that is going on")
        gate.open()
        p.end(process).expect(0)


# -------------------------------------------------------------------------------------------------------------- baselines

SECRET = "Hafen-Geheimnis"


def the_life_of_a_baseline(checks):
    """Seed, warn, accept, fail, retry: each its own process, the source gone and no secret set at accept."""
    database = checks.databases.open("postgres", checks.folder, checks.folder)
    try:
        database.script("CREATE TABLE routes (id bigint, stop varchar(30)); INSERT INTO routes VALUES (1, 'a');")
        settings = {**database.connection(), "password": "${ROUTES_SECRET}", "user": "${ROUTES_USER}"}
        p = checks.project({"depot": {**settings, "entities": {"public.routes": {"read": {}}}}, "dst": {"connector": "duckdb", "path": "d.duckdb"}},
                           "on_source_drift: warn\n")
        p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 'routes', strategy: 'replace', schema_policy: 'evolve') }}\n"
                                   "SELECT * FROM {{ source('depot', 'public.routes') }}")
        secrets = {"ROUTES_SECRET": SECRET, "ROUTES_USER": settings_user(database)}
        state = p.folder / ".kedge/state/schemas.json"

        def run(*words, code, texts=(), with_secrets=True):
            p.variables = secrets if with_secrets else {}
            done = p.run(*words).expect(code, *texts)
            must(SECRET not in done.out + done.err, "a secret is shown")
            return done

        done = run("run", "--all", code=0)                                             # seed, silently
        must("PZ0331" not in done.err, done.err)
        seeded = state.read_bytes()
        database.script("ALTER TABLE routes ADD COLUMN seal text; ALTER TABLE routes ALTER COLUMN stop TYPE varchar(300);")
        for _ in range(2):                                                             # warn, again and again
            run("run", "--all", code=0, texts=("warning PZ0331", "column 'seal' added (VARCHAR)", "kedge schema accept depot.public.routes"))
            must(state.read_bytes() == seeded, "a run moved the baseline")
        run("validate", "--connect", code=0, texts=("warning PZ0331", "differs from the accepted baseline",
                                                    "changed from character varying(30) to character varying(300)"))
        run("validate", "--connect", "--strict", code=1)
        must(state.read_bytes() == seeded, "validate moved the baseline")

        port, host = p.folder / "connections.yml", settings["host"]
        text = port.read_text()
        port.write_text(text.replace(str(host), "/nowhere"))                           # the source cannot be reached
        run("schema", "show", code=0, texts=("pending: ", "seal"), with_secrets=False)
        run("schema", "show", "--check", code=1, with_secrets=False)
        run("schema", "accept", code=0, texts=("depot.public.routes: column 'seal' added (VARCHAR)",
                                               "column 'stop' native type VARCHAR(30) -> VARCHAR(300)".replace("VARCHAR", "character varying"),
                                               "accepted 2 schema change(s)"), with_secrets=False)
        accepted = state.read_bytes()
        run("schema", "accept", code=0, texts=("nothing to accept",), with_secrets=False)
        must(state.read_bytes() == accepted, "a second accept wrote")
        port.write_text(text)
        done = run("run", "--all", code=0)
        must("PZ0331" not in done.err, "the accepted shape is warned about")

        p.write("project.yml", "name: rules\nversion: 1.0.0\non_source_drift: fail\n")
        database.script("ALTER TABLE routes DROP COLUMN stop; ALTER TABLE routes ADD COLUMN kg double precision;")
        for _ in range(2):
            run("run", "--all", code=1, texts=("error PZ0331", "column 'stop' removed (was VARCHAR)", "column 'kg' added (DOUBLE)"))
        run("retry", code=1, texts=("PZ0331",))
        must(state.read_bytes() == accepted, "a failing run moved the baseline")
        port.write_text(text.replace(str(host), "/nowhere"))
        run("schema", "accept", "depot.public.routes", "--reason", "agreed", code=0, texts=("accepted 2",), with_secrets=False)
        run("retry", code=0, texts=("reused",))                                        # the source is still gone
        must("agreed" in (p.folder / ".kedge/state/audit.jsonl").read_text(), "the reason is not kept")
        for path, content in tree(p.folder / ".kedge").items():
            must(content is None or SECRET.encode() not in content, f"{path} holds the secret")
    finally:
        database.close()


def settings_user(database):
    return database.connection()["user"]


def accept_touches_nothing_but_its_files(checks):
    """`schema accept` under strace: no socket, and no file of a source, a connection or a client library."""
    strace = shutil.which("strace")
    must(strace, "strace is missing: scripts/setup --test installs it")
    p = checks.project({"far": {"connector": "postgres", "host": "127.0.0.1", "port": 1, "database": "d", "password": "${NOT_SET}",
                                "entities": {"public.x": {"read": {}}}},
                        "lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {}}}},
                        "duck": {"connector": "duckdb", "path": "d.duckdb", "entities": {"t": {"read": {}}}},
                        "any": {"connector": "odbc", "connection_string": "Driver=none", "entities": {"t": {"read": {}}}},
                        "inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {}}}}}, "on_source_drift: warn\n")
    p.variables = {"NOT_SET": "x"}
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (a BIGINT)")
    p.write("in/t.csv", "a\n1\n")
    p.run("run", "--select", "source:lite.t source:inb.t").expect(0)
    sqlite_file(p.folder / "l.db", "ALTER TABLE t ADD COLUMN b TEXT")
    p.write("in/t.csv", "a,b\n1,2\n")
    p.run("run", "--select", "source:lite.t source:inb.t").expect(0, "PZ0331")
    p.variables = {}
    p.write("pipelines/broken.sql", "SELECT {{ nonsense")
    log = p.folder.parent / "accept.strace"
    for words in (("schema", "show"), ("schema", "accept")):
        done = p.run(*words, prefix=(strace, "-f", "-qq", "-e", "trace=network,open,openat,execve", "-o", str(log)))
        done.expect(0)
        lines = log.read_text().splitlines()
        must(any("run.json" in line for line in lines) and any("schemas.json" in line for line in lines), "strace saw nothing")
        calls = [line for line in lines if re.search(r"\b(socket|connect|sendto|getaddrinfo)\(", line)]
        must(not calls, f"{words}: opens a socket: {calls[:3]}")
        opened = {m.group(1) for line in lines for m in [re.search(r'open(?:at)?\([^"]*"([^"]+)"', line)] if m and "ENOENT" not in line}
        inside = {path for path in opened if str(p.folder) in path}
        allowed = (".kedge/runs", ".kedge/state", ".kedge/lock", "project.yml")
        foreign = [path for path in inside if path != str(p.folder) and not path.removeprefix(str(p.folder) + "/").startswith(allowed)
                   and path.removeprefix(str(p.folder) + "/") != ".kedge"]
        must(not foreign, f"{words}: opens {foreign}")
        clients = [path for path in opened if re.search(r"lib(duckdb|mariadb|odbc|pq\.so.*|mysqlclient)", Path(path).name) and "pq" not in path]
        must(not clients, f"{words}: loads {clients}")
    done.expect(0, "inb.t: column 'b' added", "lite.t: column 'b' added", "accepted 2")


ALL = [a_node_is_ended_by_its_time_limit, a_wait_between_attempts_counts_as_time_of_the_node, a_node_that_does_not_stop_is_left_behind,
       a_pipe_in_a_folder_of_files_is_no_file, a_signal_ends_the_run_well, a_signal_ends_work_inside_servers,
       a_signal_does_not_wait_for_a_deaf_server, a_killed_run_cannot_be_retried, a_run_that_could_not_begin_is_fatal, a_read_only_state_folder_is_named,
       a_target_that_may_not_be_written, a_source_that_may_not_be_read, a_full_disk_is_named, a_locked_target_is_named,
       a_failed_write_leaves_the_new_file_of_another, a_held_state_lock_is_waited_for_and_named, the_later_of_two_runs_keeps_its_hands_off_a_cursor,
       the_later_of_two_runs_keeps_its_hands_off_a_baseline, an_unstored_cursor_is_a_notice, accept_looks_at_the_newest_finished_run,
       the_life_of_a_baseline, accept_touches_nothing_but_its_files]


def run_checks(functions) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--only")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    args.kedge = os.path.abspath(args.kedge)
    folder = Path(tempfile.mkdtemp(prefix="kedge-rules-"))
    folder.chmod(0o755)
    checks = Checks(args, folder)
    try:
        for function in functions:
            checks.check(function)
    finally:
        checks.databases.stop()
        shutil.rmtree(folder, ignore_errors=True)
    found = checks.results
    print(f"{found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped")
    return 0 if found["passed"] and not found["failed"] and not found["skipped"] else 1


if __name__ == "__main__":
    sys.exit(run_checks(ALL))
