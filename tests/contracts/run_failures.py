#!/usr/bin/env python3
"""Writes that cannot be completed: whatever happens to the run, its target is as it was before, rows
and shape, or the whole write is there.

    run_failures.py --kedge PATH [--duckdb-lib LIB] [--targets a,b] [--kinds a,b] [--kills N] [--rows N]

Targets: sqlite, duckdb, postgres, mysql, file, and pushed: a pipeline that runs inside postgres. Kinds of failure:
  last-row     a constraint of the target that the last row breaks; once it is gone, `kedge retry` succeeds
  kill         SIGKILL at N moments of the write, and the next run succeeds
  connection   the server ends the session in the middle of the write
  disk         the target's file system is full (a small tmpfs; needs root)
MySQL commits an ALTER at once: there a failed evolve may leave the columns that its error names, never rows. Its disk is not
filled: MariaDB 10.11 ends itself then, so that there is nothing to look at.
Each for every mode of writing that the target knows: append, replace, merge, evolve.
Prints what differs and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.common import Skip, dump_yaml  # noqa: E402
from kt.databases import Databases, SqlError  # noqa: E402

DATABASES = ("sqlite", "duckdb", "postgres", "mysql", "pushed")
MODES = ("append", "replace", "merge", "evolve")
TEXT = {"sqlite": "VARCHAR(200)", "duckdb": "VARCHAR", "postgres": "varchar(200)", "mysql": "varchar(200)"}

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--duckdb-lib")
parser.add_argument("--targets", default=",".join((*DATABASES, "file")))
parser.add_argument("--kinds", default="last-row,kill,connection,disk")
parser.add_argument("--kills", type=int, default=3, help="moments at which a run is killed, per mode")
parser.add_argument("--rows", type=int, default=60000)
options = parser.parse_args()
kedge = str(Path(options.kedge).resolve())
passed, failed, skipped = 0, 0, 0


def judge(name, problem):
    global passed, failed
    if problem:
        failed += 1
        print(f"FAIL {name}: {problem}"[:1200], flush=True)
    else:
        passed += 1


def skip(name, why):
    global skipped
    skipped += 1
    print(f"SKIP {name}: {why}", flush=True)


class Project:
    """A csv of many rows that goes into one table of one target."""

    def __init__(self, folder: Path, databases: Databases, target: str, place: Path | None = None):
        self.folder, self.target = folder, target
        self.system = "postgres" if target == "pushed" else target
        folder.mkdir(parents=True)
        self.place = place or folder
        self.path = self.place / f"t.{target}"
        self.database = None
        connection = {"connector": "localfiles", "root": str(self.place / "out")}
        if target in DATABASES:
            self.database = databases.open(self.system, self.path, folder)
            if hasattr(self.database, "variables"):
                os.environ.update({k: str(v) for k, v in self.database.variables().items()})
            connection = (self.database.connection() if hasattr(self.database, "connection")
                          else {"connector": self.system, "path": str(self.path)})
        connection["retry"] = {"max_attempts": 1}
        (folder / "project.yml").write_text("name: own\nversion: 1.0.0\n")
        (folder / "connections.yml").write_text(dump_yaml(
            {"inb": {"connector": "localfiles", "root": str(folder)}, "out": connection}))
        (folder / "pipelines" / "configs").mkdir(parents=True)
        if target == "pushed":
            (folder / "pipelines" / "configs" / "p.yml").write_text("pipeline: p\nengine: {run_in: out}\n")

    def mode(self, mode, rows, bad):
        """The csv, its contract and the pipeline of one mode; the target as it is before."""
        evolve = mode == "evolve"
        columns = {"id": "bigint", "v": "bigint" if evolve else "integer", "note": "varchar(200)"}
        if evolve:
            columns["extra"] = "double"
        if self.target == "pushed":
            self.fill_table(rows, bad, evolve)
        else:
            self.fill_file(rows, bad, evolve, columns)
        write = {"strategy": "append" if evolve else mode}
        if mode == "merge":
            write.update(keys=["id"], on_delete="delete")
        if evolve:
            write["schema_policy"] = "evolve"
        if self.target == "file":
            write = {"strategy": mode, "path": "t.csv", "format": "csv"}
        text = ", ".join(f"{k}: {json.dumps(v)}" for k, v in write.items()).replace('"', "'")
        (self.folder / "pipelines" / "p.sql").write_text(
            f"INSERT INTO {{{{ sink('out', 't', {text}) }}}}\n"
            f"SELECT * FROM {{{{ source('{'out' if self.target == 'pushed' else 'inb'}', '{self.source}', columns: {json.dumps(columns)}) }}}}\n"
            .replace('"', "'"))
        self.reset()

    @property
    def source(self):
        return "public.src" if self.target == "pushed" else "t"

    def fill_file(self, rows, bad, evolve, columns):
        with open(self.folder / "t.csv", "w") as out:
            out.write(",".join(columns) + "\n")
            for i in range(rows):
                note = "bad" if bad and i == rows - 1 else f"note number {i} {'x' * 60}"
                out.write(f"{i + 10},1,{note}" + (f",{i}.5" if evolve else "") + "\n")

    def fill_table(self, rows, bad, evolve):
        self.database.script(
            f"DROP TABLE IF EXISTS src; CREATE TABLE src AS SELECT i + 10::bigint AS id, 1::{'bigint' if evolve else 'int'} AS v, "
            f"(CASE WHEN {str(bad).lower()} AND i = {rows - 1} THEN 'bad' ELSE 'note number ' || i || repeat('x', 60) END)::varchar(200) AS note"
            + (", i + 0.5::double precision AS extra" if evolve else "") + f" FROM generate_series(0::bigint, {rows - 1}) i")

    def reset(self, forbidden="bad"):
        if self.target == "file":
            shutil.rmtree(self.place / "out", ignore_errors=True)
            (self.place / "out" / "t").mkdir(parents=True)
            for name in ("t.csv", "t/old.csv"):
                (self.place / "out" / name).write_text("id,v,note\n1,1,old\n")
            return
        small = "int" if self.system in ("postgres", "mysql") else "INTEGER"
        self.database.script(
            "DROP TABLE IF EXISTS t;\n"
            f"CREATE TABLE t (id bigint PRIMARY KEY, v {small}, note {TEXT[self.system]} CHECK (note <> '{forbidden}'));\n"
            "INSERT INTO t VALUES (1, 1, 'one'), (12, 2, 'twelve');")

    def state(self):
        if self.target == "file":
            root = self.place / "out"
            return {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*.csv"))}
        return self.database.query("SELECT * FROM t ORDER BY id")

    def leftovers(self):
        """What must not stay behind in the target after the next run."""
        if self.target == "file":
            return [p.name for p in (self.place / "out").rglob(".*")]
        if self.system == "postgres":
            return self.database.query("SELECT relname FROM pg_class WHERE relname LIKE '\\_kedge%' "
                                       "UNION ALL SELECT nspname FROM pg_namespace WHERE nspname LIKE '\\_kedge%'")[1]
        if self.target == "mysql":
            return self.database.query("SELECT table_name FROM information_schema.tables WHERE table_schema = database() "
                                       "AND table_name LIKE '\\_kedge%'")[1]
        if self.target == "sqlite":
            return self.database.query("SELECT name FROM sqlite_master WHERE name LIKE '\\_kedge%' ESCAPE '\\'")[1]
        return self.database.query("SELECT table_name FROM duckdb_tables() WHERE table_name LIKE '%kedge%'")[1]

    def release(self):
        """DuckDB files are opened by one program at a time."""
        if self.target in ("sqlite", "duckdb"):
            self.database.close()

    def run(self, *arguments):
        return self.kedge("run", "--all", *arguments)

    def kedge(self, *arguments):
        return subprocess.run([kedge, "-C", str(self.folder), *arguments], capture_output=True, text=True, timeout=180)

    def start(self):
        """A run in the background; `writing` is set when its write has begun."""
        process = subprocess.Popen([kedge, "-C", str(self.folder), "run", "--all", "--events", "-"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.output = ""
        writing = threading.Event()
        writing.reached = False

        def follow():
            for line in process.stdout:
                self.output += line
                if '"node_started"' in line and '"kind":"write"' in line:
                    writing.reached = True
                    writing.set()
            writing.set()

        follower = threading.Thread(target=follow)
        follower.start()
        return process, writing, follower

    def close(self):
        if self.database is not None:
            self.database.close()


def differs(before, after):
    if before == after:
        return ""
    size = [len(x[1]) if isinstance(x, tuple) else sum(map(len, x.values())) for x in (before, after)]
    shape = [x[0] if isinstance(x, tuple) else sorted(x) for x in (before, after)]
    return f"the target changed: {size[0]} -> {size[1]}, {shape[0]} -> {shape[1]}"


def changed(project, mode, before, output):
    """What differs from before. MySQL may keep columns that an evolve added, if the error says so; never rows."""
    problem = differs(before, project.state())
    if problem and project.target == "mysql" and mode == "evolve" and "the target was altered" in output:
        return "" if project.database.query("SELECT id, note FROM t ORDER BY id")[1] == [[r[0], r[2]] for r in before[1]] else problem
    return problem


def modes_of(target):
    return ("append", "replace") if target == "file" else MODES


def last_row(project, mode, name):
    project.mode(mode, 5000, bad=True)
    before = project.state()
    project.release()
    done = project.run()
    problem = changed(project, mode, before, done.stderr + done.stdout)
    judge(name, problem or ("" if done.returncode == 1 else f"exit {done.returncode}: {done.stdout}{done.stderr}"))
    judge(name + " leaves nothing", str(project.leftovers() or ""))
    # What was in the way goes; a retry reads nothing again and writes the rest.
    project.reset(forbidden="worse")
    project.database.script("DELETE FROM t WHERE id = 12")
    project.release()
    done = project.kedge("retry")
    rows = len(project.state()[1])
    want = 5001 if mode in ("append", "evolve") else 5000
    judge(name + " retried", "" if done.returncode == 0 and rows == want else f"{rows} rows: {done.stdout}{done.stderr}")
    judge(name + " retried leaves nothing", str(project.leftovers() or ""))


def kill(project, mode, name):
    rows = options.rows
    project.mode(mode, rows, bad=False)
    project.database and project.database.script("DELETE FROM t WHERE id = 12")
    kept = 1
    before = project.state()
    took = None
    for moment in range(options.kills):
        project.release()
        process, writing, follower = project.start()
        writing.wait(120)
        begun = time.monotonic()
        if took is None:
            time.sleep(0.02)
        else:
            time.sleep(took * (moment + 1) / (options.kills + 1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        follower.join()
        after = project.state()
        whole = (len(after[1]) in (rows + kept, rows) if project.target != "file"
                 else any(text.count("\n") == rows + 1 for text in after.values()))
        altered = project.target == "mysql" and mode == "evolve" and project.database.query(
            "SELECT id, note FROM t ORDER BY id")[1] == [[r[0], r[2]] for r in before[1]]
        judge(f"{name} {moment}", "its write was not reached" if not writing.reached else
              "" if whole or altered else differs(before, after))
        if whole or altered:
            project.reset()
            project.database and project.database.script("DELETE FROM t WHERE id = 12")
        if took is None:
            # How long the write takes, to spread the other moments over it.
            project.release()
            process, writing, follower = project.start()
            writing.wait(120)
            begun = time.monotonic()
            process.wait(180)
            follower.join()
            took = time.monotonic() - begun
            judge(f"{name} next run", "" if process.returncode == 0 else f"exit {process.returncode}: {project.output[-900:]}")
            project.reset()
            project.database and project.database.script("DELETE FROM t WHERE id = 12")
    project.release()
    done = project.run()
    judge(f"{name} last run", "" if done.returncode == 0 else done.stdout + done.stderr)
    judge(f"{name} leaves nothing", str(project.leftovers() or ""))


# Waits for the session that writes, and ends it.
END_POSTGRES = """DO $$ BEGIN
  FOR i IN 1..20000 LOOP
    PERFORM pg_stat_clear_snapshot();
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
            AND pid <> pg_backend_pid() AND state = 'active' AND (query LIKE 'COPY%' OR query LIKE 'INSERT%');
    IF FOUND THEN RETURN; END IF;
    PERFORM pg_sleep(0.002);
  END LOOP; END $$"""
SESSIONS_MYSQL = ("SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id() AND info LIKE "
                  "'INSERT%'")


def end_session(project, process):
    if project.system == "postgres":
        project.database.script(END_POSTGRES)
        return
    while process.poll() is None:
        for row in project.database.query(SESSIONS_MYSQL)[1]:
            try:
                project.database.script(f"KILL {row[0]}")
                return
            except SqlError:
                pass  # it has ended


def connection(project, mode, name):
    rows = options.rows * (4 if project.system == "postgres" else 1)
    for more in (1, 4):  # a fast write may be over before its session is ended
        project.mode(mode, rows * more, bad=False)
        project.database.script("DELETE FROM t WHERE id = 12")
        before = project.state()
        process, writing, follower = project.start()
        end_session(project, process)
        process.wait(180)
        follower.join()
        if process.returncode != 0:
            break
    problem = changed(project, mode, before, project.output)
    judge(name, problem or ("" if process.returncode == 1 else f"exit {process.returncode}"))
    done = project.run()
    judge(name + " next run", "" if done.returncode == 0 else done.stdout + done.stderr)
    judge(name + " leaves nothing", str(project.leftovers() or ""))


class SmallDisk:
    """A tmpfs of a few megabytes."""

    def __init__(self, folder: Path, megabytes: int, owner=None):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=777", "tmpfs", str(folder)],
                              capture_output=True, text=True)
        if done.returncode:
            raise Skip("a tmpfs cannot be mounted here: " + done.stderr.strip())

    def close(self):
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


def disk_of_file(databases, folder, target):
    for mode in modes_of(target):
        name = f"{target} {mode} disk"
        small = SmallDisk(folder / f"small-{mode}", 3)
        try:
            project = Project(folder / f"disk-{mode}", databases, target, small.folder)
            project.mode(mode, 60000, bad=False)
            project.database and project.database.script("DELETE FROM t WHERE id = 12")
            before = project.state()
            project.release()
            done = project.run()
            says = "PZ0532" in done.stdout + done.stderr
            judge(name, differs(before, project.state()) or
                  ("" if done.returncode == 1 and says else f"exit {done.returncode}: {done.stdout}{done.stderr}"))
            project.close()
        finally:
            small.close()


def disk_of_server(databases, folder, target):
    for mode in MODES:
        name = f"{target} {mode} disk"
        project = Project(folder / f"disk-{mode}", databases, target)
        data = Path(project.database.server.folder) / "d"
        place = Path(project.database.server.folder) / f"small-{target}-{mode}"
        small = SmallDisk(place, 3)
        try:
            inside = small.folder / "space"
            inside.mkdir()
            done = subprocess.run(["chown", "--reference", str(data), str(inside)], capture_output=True, text=True)
            if done.returncode:
                raise Skip(done.stderr)
            project.mode(mode, 60000, bad=False)
            project.database.script("DELETE FROM t WHERE id = 12")
            space = f"small_{target}_{mode}"
            project.database.script(f"CREATE TABLESPACE {space} LOCATION '{inside}'")
            project.database.script(f"ALTER TABLE t SET TABLESPACE {space}")
            before = project.state()
            done = project.run()
            says = "PZ0532" in done.stdout + done.stderr
            judge(name, changed(project, mode, before, done.stdout + done.stderr) or
                  ("" if done.returncode == 1 and says else f"exit {done.returncode}: {done.stdout}{done.stderr}"))
            project.database.script("DROP TABLE t")
            project.database.script(f"DROP TABLESPACE {space}")
        finally:
            small.close()
        project.close()


def run_target(databases, base, target, kinds):
    local = target in ("sqlite", "duckdb", "file")
    for kind, act in (("last-row", last_row), ("kill", kill), ("connection", connection)):
        if kind not in kinds or (kind == "connection" and local) or (kind == "last-row" and target == "file"):
            continue
        for mode in modes_of(target):
            project = Project(base / f"{target}-{kind}-{mode}", databases, target)
            act(project, mode, f"{target} {mode} {kind}")
            project.close()
    if "disk" in kinds and target != "mysql":
        try:
            disk = disk_of_file if local else disk_of_server
            disk(databases, base / f"{target}-disk", target)
        except Skip as why:
            skip(f"{target} disk", why)


def main():
    databases = Databases(options.duckdb_lib)
    with tempfile.TemporaryDirectory(prefix="kedge-failures-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o755)
        try:
            for target in options.targets.split(","):
                try:
                    run_target(databases, Path(name), target, options.kinds.split(","))
                except Skip as why:
                    skip(target, why)
        finally:
            databases.stop()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1  # a small disk may be skipped: not everybody may mount one


sys.exit(main())
