#!/usr/bin/env python3
"""D1 through a real local wrangler: the rebuild of a referenced table and everything that references it, on populated tables with foreign
keys on; a table that references itself; a circle. Then the remote path, against a stand-in that records how it was called.

usage: run_d1.py --kedge PATH --node-modules DIR
Last line: N passed, N failed.
"""
import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

STUB = Path(__file__).resolve().parent.parent / "cases" / "runner" / "kt" / "wrangler_stub.py"


def entity(name, *children, generation="increment"):
    return {"object.entity": {"name": name, "children": [{"source.rdb": {}}, {"field.long": {"name": "id"}}, *children,
                                                         {"identity.primary": {"fields": "id", **({"generation": generation} if generation else {})}}]}}


def field(kind, name, **more):
    return {"field." + kind: {"name": name, **more}}


def reference(name, column, target, action="restrict"):
    return {"identity.reference": {"name": name, "fields": column, "references": target, "onDelete": action, "onUpdate": "no-action"}}


def family(code, tons, up):
    """Port <- Call <- Line, two levels; Node references itself; a view reads the middle."""
    return [entity("Port", field("string", "code", **code), {"index.lookup": {"name": "ports_code", "fields": ["code"]}}),
            entity("Call", field("long", "portId", required=True), field("int", "tons", **tons), reference("atPort", "portId", "Port", "cascade"),
                   {"index.lookup": {"name": "calls_port", "fields": ["portId"]}}),
            entity("Line", field("long", "callId", required=True), field("string", "text"), reference("ofCall", "callId", "Call", "cascade")),
            entity("Node", field("long", "up"), field("string", "label", **up), reference("toUp", "up", "Node")),
            {"object.projection": {"name": "Heavy", "children": [{"source.rdb": {"kind": "view", "view": "v_heavy"}},
                                                                 field("long", "id", extends="Call.id"), field("int", "tons", extends="Call.tons")]}}]


def circle(more):
    return [entity("Left", field("long", "rightId"), field("string", "l", **more), reference("toRight", "rightId", "Right")),
            entity("Right", field("long", "leftId"), field("string", "r"), reference("toLeft", "leftId", "Left"))]


class Project:
    def __init__(self, kedge, wrangler, extra=None):
        self.kedge, self.wrangler = kedge, wrangler
        self.folder = Path(tempfile.mkdtemp(prefix="kd1"))
        self.env = {**os.environ, "KEDGE_WRANGLER": str(wrangler), "WRANGLER_SEND_METRICS": "false", "CI": "1", "NO_COLOR": "1", **(extra or {})}
        self.write("project.yml", json.dumps({"name": "t", "version": "1.0.0", "migrate": {"dialect": "d1"}}))
        self.write("wrangler.toml", 'name = "t"\ncompatibility_date = "2025-01-01"\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "harbour"\n'
                                    'database_id = "00000000-0000-4000-8000-000000000001"\nmigrations_dir = "migrations"\n')

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def declare(self, children):
        self.write("metadata/all.yml", json.dumps({"package": "t", "children": children}))

    def run(self, *words):
        done = subprocess.run([self.kedge, "-C", str(self.folder), *words], capture_output=True, text=True, env=self.env, timeout=300)
        return done

    def ok(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, f"{' '.join(words)}: exit {done.returncode}: {done.stdout[-800:]}{done.stderr[-2000:]}"
        return done

    def sql(self, text):
        done = subprocess.run([str(self.wrangler), "d1", "execute", "DB", "--local", "--json", "--command", text], capture_output=True, text=True,
                              env=self.env, cwd=self.folder, timeout=120)
        assert done.returncode == 0, f"{text}: {done.stdout[-800:]}{done.stderr[-800:]}"
        return json.loads(done.stdout[done.stdout.index("["):])[-1]["results"]

    def refused(self, text):
        done = subprocess.run([str(self.wrangler), "d1", "execute", "DB", "--local", "--json", "--command", text], capture_output=True, text=True,
                              env=self.env, cwd=self.folder, timeout=120)
        return done.returncode != 0

    def go_back(self, slug):
        """The down of a migration, as its user runs it: one file through wrangler."""
        found = list(self.folder.glob(f"migrations/.down/*_{slug}.sql"))
        assert len(found) == 1, found
        done = subprocess.run([str(self.wrangler), "d1", "execute", "DB", "--local", "--yes", "--file", str(found[0])], capture_output=True, text=True,
                              env=self.env, cwd=self.folder, timeout=120)
        assert done.returncode == 0, f"{found[0].read_text(encoding='utf-8')}: {done.stdout[-800:]}{done.stderr[-800:]}"

    def catalog(self):
        return sorted((row["type"], row["name"], " ".join((row["sql"] or "").split())) for row in self.sql(
            "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'd1_%'"))

    def settled(self, what):
        verified = self.run("verify", "--dialect", "d1")
        assert verified.returncode == 0 and "(local)" in verified.stdout, f"{what}: {verified.stdout}{verified.stderr}"
        again = self.ok("migrate", "--dialect", "d1", "--dry-run", "--format", "json")
        assert not json.loads(again.stdout)["changes"], f"{what}: {again.stdout[:1500]}"

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def cascade(kedge, wrangler):
    project = Project(kedge, wrangler)
    try:
        project.declare(family({"maxLength": 9}, {}, {}))
        project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "first")
        assert project.sql("PRAGMA foreign_keys")[0]["foreign_keys"] == 1, "foreign keys are off"
        project.sql("INSERT INTO ports (id, code) VALUES (1, 'A'), (2, 'B'), (9, 'gone')")
        project.sql("DELETE FROM ports WHERE id = 9")
        project.sql("INSERT INTO calls (id, port_id, tons) VALUES (1, 1, 5), (2, 2, NULL)")
        project.sql("INSERT INTO lines (id, call_id, text) VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 1, 'z')")
        project.sql("INSERT INTO nodes (id, up, label) VALUES (1, NULL, 'root'), (2, 1, 'leaf')")
        project.sql("CREATE TABLE log (n INTEGER)")
        project.sql("CREATE TRIGGER on_port AFTER INSERT ON ports BEGIN INSERT INTO log VALUES (new.id); END")
        project.write("project.yml", json.dumps({"name": "t", "version": "1.0.0", "migrate": {"dialect": "d1", "ignore_tables": ["log"]}}))
        project.settled("at first")
        before = project.catalog()

        project.declare(family({"maxLength": 9, "required": True}, {"required": True, "default": 7}, {"required": True, "default": "none"}))
        refused = project.run("migrate", "--dialect", "d1", "--apply", "--slug", "second")
        assert refused.returncode == 1 and "nullable-to-not-null" in refused.stderr, refused.stderr
        done = project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "second", "--allow", "nullable-to-not-null")
        written = sorted(project.folder.glob("migrations/*second.sql"))
        text = written[0].read_text(encoding="utf-8")
        assert "defer_foreign_keys" in text and "__f_lines" in text and "BEGIN" not in re.sub(r"TRIGGER.*?END", "", text, flags=re.S), text + done.stdout
        project.settled("after the cascade")
        assert [row["code"] for row in project.sql("SELECT code FROM ports ORDER BY id")] == ["A", "B"]
        assert [row["tons"] for row in project.sql("SELECT tons FROM calls ORDER BY id")] == [5, 7]
        assert [row["call_id"] for row in project.sql("SELECT call_id FROM lines ORDER BY id")] == [1, 2, 1]
        assert [row["up"] for row in project.sql("SELECT coalesce(up, 0) AS up FROM nodes ORDER BY id")] == [0, 1]
        assert project.sql("PRAGMA foreign_key_check") == []
        assert [row["tons"] for row in project.sql("SELECT tons FROM v_heavy ORDER BY id")] == [5, 7]
        for broken in ("INSERT INTO calls (port_id, tons) VALUES (99, 1)", "INSERT INTO lines (call_id) VALUES (99)",
                       "INSERT INTO nodes (up, label) VALUES (99, 'x')", "INSERT INTO ports (code) VALUES (NULL)"):
            assert project.refused(broken), broken
        project.sql("INSERT INTO ports (code) VALUES ('C')")
        assert project.sql("SELECT max(id) AS n FROM ports")[0]["n"] == 10, "the counter began anew"
        assert project.sql("SELECT n FROM log ORDER BY n DESC LIMIT 1")[0]["n"] == 10, "the trigger is gone"
        project.sql("DELETE FROM ports WHERE id = 1")
        assert project.sql("SELECT count(*) AS n FROM lines")[0]["n"] == 1, "the keys do not cascade any more"

        project.go_back("second")
        assert project.catalog() == before, f"down does not lead back: {sorted(set(project.catalog()) ^ set(before))}"
        project.declare(family({"maxLength": 9}, {}, {}))
        project.settled("after the way back")
        assert [row["code"] for row in project.sql("SELECT code FROM ports ORDER BY id")] == ["B", "C"]
        assert [(row["id"], row["tons"]) for row in project.sql("SELECT id, tons FROM calls ORDER BY id")] == [(2, 7)]
        assert [(row["call_id"], row["text"]) for row in project.sql("SELECT call_id, text FROM lines")] == [(2, "y")]
        assert project.sql("PRAGMA foreign_key_check") == []
        project.sql("INSERT INTO ports (code) VALUES (NULL)")
        assert project.sql("SELECT max(id) AS n FROM ports")[0]["n"] == 11, "the counter began anew on the way back"
        assert project.sql("SELECT n FROM log ORDER BY n DESC LIMIT 1")[0]["n"] == 11, "the trigger is gone on the way back"
        project.sql("DELETE FROM ports WHERE id = 2")
        assert project.sql("SELECT count(*) AS n FROM lines")[0]["n"] == 0, "the keys do not cascade after the way back"
        print("d1: cascade of three tables, two levels deep, and a self reference, there and back, through wrangler")
    finally:
        project.close()


def views(kedge, wrangler):
    """wrangler takes comments out of what it sends: a view is known as kedge's own all the same."""
    project = Project(kedge, wrangler)
    par = entity("Par", field("int", "v"), field("int", "w"))

    def declare(*columns, more=()):
        project.declare([par, {"object.projection": {"name": "ParView", "children": [{"source.rdb": {"kind": "view"}},
                                                     *(field("int" if c != "id" else "long", c, extends="Par." + c) for c in columns), *more]}}])

    try:
        declare("id", "v")
        project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "first")
        project.settled("at first")
        declare("id", "v", "w")
        project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "appended")
        project.settled("with a field appended")
        declare("id", "w")
        refused = project.run("migrate", "--dialect", "d1", "--apply", "--slug", "shape")
        assert refused.returncode == 1 and "--allow drop-view" in refused.stderr and "adopt" not in refused.stderr, refused.stderr
        project.declare([par])
        refused = project.run("migrate", "--dialect", "d1", "--apply", "--slug", "gone")
        assert refused.returncode == 1 and "drop-view" in refused.stderr, refused.stderr
        project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "gone", "--allow", "drop-view")
        project.settled("with the view removed")
        assert project.sql("SELECT count(*) AS n FROM sqlite_master WHERE type = 'view'")[0]["n"] == 0
        print("d1: a view is made, extended and dropped as kedge's own, through wrangler")
    finally:
        project.close()


def cycle(kedge, wrangler):
    project = Project(kedge, wrangler)
    try:
        project.declare(circle({}))
        project.ok("migrate", "--dialect", "d1", "--apply", "--slug", "first")
        project.sql("INSERT INTO lefts (id, right_id, l) VALUES (1, NULL, 'a')")
        project.sql("INSERT INTO rights (id, left_id, r) VALUES (1, 1, 'b')")
        project.sql("UPDATE lefts SET right_id = 1")
        start = project.catalog()
        project.declare(circle({"required": True}))
        before = sorted(project.folder.glob("migrations/*"))
        words = ["migrate", "--dialect", "d1", "--apply", "--slug", "second", "--allow", "nullable-to-not-null"]
        refused = project.run(*words)
        assert refused.returncode == 1 and "ERR_D1_FK_CYCLE" in refused.stderr and "lefts" in refused.stderr and "rights" in refused.stderr, refused.stderr
        assert sorted(project.folder.glob("migrations/*")) == before, "something was written"
        project.ok(*words, "--allow", "d1-cycle")
        project.settled("after the circle")
        assert project.sql("SELECT right_id FROM lefts")[0]["right_id"] == 1 and project.sql("SELECT left_id FROM rights")[0]["left_id"] == 1
        assert project.sql("PRAGMA foreign_key_check") == []
        project.go_back("second")
        assert project.catalog() == start, f"down does not lead back: {sorted(set(project.catalog()) ^ set(start))}"
        assert project.sql("SELECT l, right_id FROM lefts") == [{"l": "a", "right_id": 1}] and project.sql("PRAGMA foreign_key_check") == []
        print("d1: a circle is refused, and rebuilt with its permission, there and back, through wrangler")
    finally:
        project.close()


def remote(kedge, _):
    home = Path(tempfile.mkdtemp(prefix="kd1r"))
    stand_in = home / "wrangler"
    stand_in.write_text(f"#!/usr/bin/env python3\nimport json, os, sys\nopen({str(home / 'calls')!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
                        f"if os.environ.get('WRANGLER_FAILS') and 'migrations' in sys.argv:\n    sys.stderr.write('no such account\\n'); sys.exit(7)\n"
                        f"os.execv(sys.executable, [sys.executable, {str(STUB)!r}, {str(home / 'remote.db')!r}, *sys.argv[1:]])\n")
    stand_in.chmod(0o755)
    project = Project(kedge, stand_in)
    try:
        project.declare(family({"maxLength": 9}, {}, {}))
        project.ok("migrate", "--dialect", "d1", "--remote", "--yes", "--apply", "--slug", "first")
        verified = project.ok("verify", "--dialect", "d1", "--remote")
        assert "(remote)" in verified.stdout, verified.stdout
        project.ok("migrate", "--dialect", "d1", "--remote", "--d1", "DB", "--dry-run")
        calls = [json.loads(line) for line in (home / "calls").read_text().splitlines()]
        assert calls and all("--remote" in call and "--local" not in call for call in calls), calls
        assert all(call[0] == "d1" and call[1] in ("execute", "migrations") for call in calls), calls
        applied = [call for call in calls if call[1] == "migrations"]
        assert len(applied) == 1 and applied[0][2:4] == ["apply", "DB"], applied
        assert all("--json" in call for call in calls if call[1] == "execute"), calls
        # What has drifted there is told; nothing of it is read here, nor the other way round.
        with closing(sqlite3.connect(home / "remote.db")) as there, there:
            there.execute("CREATE TABLE by_hand (id INTEGER)")
        drifted = project.run("verify", "--dialect", "d1", "--remote", "--d1", "DB")
        assert drifted.returncode == 1 and "by_hand" in drifted.stdout, drifted.stdout
        with closing(sqlite3.connect(home / "remote.db")) as there, there:
            there.execute("DROP TABLE by_hand")
        (home / "calls").unlink()
        here = project.run("verify", "--dialect", "d1")
        assert "(local)" in here.stdout, here.stdout + here.stderr
        local = [json.loads(line) for line in (home / "calls").read_text().splitlines()]
        assert local and all("--local" in call and "--remote" not in call for call in local), local
        (home / "calls").unlink()
        project.declare(family({"maxLength": 9}, {"default": 3}, {}))
        project.env["WRANGLER_FAILS"] = "1"
        failed = project.run("migrate", "--dialect", "d1", "--remote", "--yes", "--apply", "--slug", "second")
        assert failed.returncode == 1 and "ERR_WRANGLER" in failed.stderr and "no such account" in failed.stderr, failed.stderr
        print(f"d1: the remote path, {len(calls)} calls of a stand-in, all of them --remote")
    finally:
        project.close()
        shutil.rmtree(home, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--node-modules", required=True)
    args = parser.parse_args()
    kedge = str(Path(args.kedge).resolve())
    wrangler = Path(args.node_modules).resolve() / ".bin" / "wrangler"
    passed = failed = 0
    for test in (cascade, views, cycle, remote):
        try:
            assert test is remote or wrangler.exists(), f"{wrangler} is not there"
            test(kedge, wrangler)
            passed += 1
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAIL {test.__name__}, line {error.__traceback__.tb_next.tb_lineno}: {str(error)[:3000]}")
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
