#!/usr/bin/env python3
"""apply-pending, rollback and migrate --apply, ended at every call that they make of a database: by SIGKILL, by a connection that the
server cuts before the call, and by one that is cut after the call and before its answer. Afterwards ledger and schema agree, or status
says what is half done and resume completes it; every row is written once.

usage: run_boundaries.py --session PATH --dialect sqlite|postgres|mysql|duckdb [--duckdb-lib FILE] [--part apply|rollback|author|together]
Last line: N passed, N failed.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "walk"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
import catalog  # noqa: E402
from parts import run_parts  # noqa: E402
from session import Session  # noqa: E402

CHAIN = [
    ("20270101000001-start", ["CREATE TABLE ports (id INTEGER PRIMARY KEY, code VARCHAR(9) NOT NULL)",
                              "INSERT INTO ports (id, code) VALUES (1, 'A')", "INSERT INTO ports (id, code) VALUES (2, 'B')",
                              "CREATE INDEX ports_code ON ports (code)"],
     ["DROP INDEX ports_code{on_ports}", "DROP TABLE ports"]),
    ("20270101000002-calls", ["CREATE TABLE calls (id INTEGER PRIMARY KEY, port_id INTEGER, tons INTEGER)",
                              "INSERT INTO calls (id, port_id, tons) SELECT id, id, 5 FROM ports",
                              "UPDATE calls SET tons = tons + 1"],
     ["DELETE FROM calls WHERE id = 2", "DROP TABLE calls"]),
    ("20270101000003-more", ["ALTER TABLE calls ADD COLUMN note VARCHAR(20)", "CREATE VIEW heavy AS SELECT id FROM calls WHERE tons > 5",
                             "INSERT INTO ports (id, code) VALUES (3, 'C')"],
     ["DELETE FROM ports WHERE id = 3", "DROP VIEW heavy", "ALTER TABLE calls DROP COLUMN note"])]

REBUILD = ("20270101000004-rebuild", [
    "PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE", "CREATE TABLE __new_ports (id INTEGER PRIMARY KEY, code VARCHAR(9) NOT NULL, size INTEGER)",
    "INSERT INTO __new_ports (id, code) SELECT id, code FROM ports", "DROP TABLE ports", "ALTER TABLE __new_ports RENAME TO ports",
    "CREATE INDEX ports_code ON ports (code)", "PRAGMA foreign_key_check(ports)", "COMMIT", "PRAGMA foreign_keys = ON"],
    ["ALTER TABLE ports DROP COLUMN size"])
ONLINE = ("20270101000004-online", ["CREATE INDEX CONCURRENTLY calls_tons ON calls (tons)", "UPDATE calls SET tons = tons + 10",
                                    "CREATE INDEX CONCURRENTLY calls_port ON calls (port_id)"],
          ["DROP INDEX calls_port", "UPDATE calls SET tons = tons - 10", "DROP INDEX calls_tons"])

# Two parts of one migration: the way back of the first is that of both, and not in a transaction.
PARTS_OF_ONE = [("20270101000005-size-1-prepare", ["ALTER TABLE ports ADD COLUMN kind INTEGER"],
                 ["DROP TABLE kinds", "ALTER TABLE ports DROP COLUMN kind"]),
                ("20270101000006-size-2-online", ["CREATE TABLE kinds (id INTEGER PRIMARY KEY)"], [])]


def chain_of(dialect):
    chain = [(name, up, [one.format(on_ports=" ON ports" if dialect == "mysql" else "") for one in down]) for name, up, down in CHAIN]
    return chain + [REBUILD] * (dialect == "sqlite") + [ONLINE] * (dialect == "postgres") + (PARTS_OF_ONE if dialect in ("sqlite", "postgres") else [])


class Ground:
    """A project over an empty database, made anew for every end."""

    def __init__(self, args, dbs):
        self.args, self.dialect, self.chain = args, args.dialect, chain_of(args.dialect)
        self.home = Path(tempfile.mkdtemp(prefix="kbound"))
        self.env = dict(os.environ)
        if self.dialect in ("postgres", "mysql"):
            self.db = dbs.open(self.dialect, self.home / "db", self.home)
            self.env.update({key: str(value) for key, value in self.db.variables().items()})
            self.connection = self.db.connection()
            self.options = {key: str(value) for key, value in self.connection.items() if key != "connector"}
            if "password" in self.options:
                self.options["password"] = self.env["KT_MY_PASSWORD"]
        self.session = Session(args.session, self.env)
        self.number = 0

    def fresh(self, more=None):
        self.number += 1
        self.folder = self.home / f"p{self.number}"
        self.folder.mkdir()
        if self.dialect in ("sqlite", "duckdb"):
            self.options = {"path": str(self.folder / "db.file")}
            self.connection = {"connector": self.dialect, **self.options}
        self.write("project.yml", json.dumps({"name": "t", "version": "1.0.0", "migrate": {"target": "db", "dialect": self.dialect, **(more or {})}}))
        self.write("connections.yml", json.dumps({"db": self.connection}))
        if self.dialect == "postgres":
            self.sql("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        elif self.dialect == "mysql":
            self.sql(f"DROP DATABASE {self.options['database']}", f"CREATE DATABASE {self.options['database']} CHARACTER SET utf8mb4")
            self.session.ask({"argv": ["--help"]})
        else:
            self.sql("SELECT 1")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_chain(self):
        for name, up, down in self.chain:
            off = "-- kedge: transaction off\n" if name.endswith(("online", "prepare")) else ""
            self.write(f"migrations/{name}/up.sql", off * name.endswith("online") + "".join(one + ";\n\n" for one in up))
            self.write(f"migrations/{name}/down.sql", off + "".join(one + ";\n\n" for one in down))

    def sql(self, *statements):
        answer = self.session.ask({"connector": self.dialect, "options": self.options, "sql": list(statements)})
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["rows"]

    def kedge(self, *words):
        return self.session.ask({"argv": ["-C", str(self.folder), *words]})

    def ok(self, *words):
        answer = self.kedge(*words)
        assert answer["exit"] == 0, f"{' '.join(words)}: {answer['out'][-600:]}{answer['err'][-1200:]}"
        return answer

    def picture(self):
        """Schema and rows: what a migration has to show for itself."""
        self.session.ask({"argv": ["--help"]})  # let go of connections that were open before
        lines = catalog.lines(self.dialect, self.sql)
        rows = set()
        for table in ("ports", "calls"):
            if any(line.startswith(("table " + table, "column " + table)) for line in lines):
                rows |= {f"{table} {row}" for row in self.sql(f"SELECT * FROM {table}")}
        return frozenset(lines | rows)

    def ledger(self):
        if not self.has_ledger():
            return {}
        return {row[0]: (row[1], int(row[2])) for row in self.sql("SELECT name, status, statements_done FROM _kedge_migrations")}

    def has_ledger(self):
        table = {"sqlite": "SELECT 1 FROM sqlite_master WHERE name = '_kedge_migrations'",
                 "postgres": "SELECT 1 FROM pg_class WHERE relname = '_kedge_migrations'",
                 "duckdb": "SELECT 1 FROM duckdb_tables() WHERE table_name = '_kedge_migrations'",
                 "mysql": "SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND table_name = '_kedge_migrations'"}
        return bool(self.sql(table[self.dialect]))

    def run_cut(self, at, mode, *words):
        log = self.folder / "calls.log"
        command = [self.args.session, "--log", str(log), "--at", str(at), *mode, "--", "-C", str(self.folder), *words]
        self.session.ask({"argv": ["--help"]})
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=120)
        return done, log.read_text(encoding="utf-8").splitlines()

    def close(self):
        self.session.close()
        shutil.rmtree(self.home, ignore_errors=True)


def stages(ground):
    """The pictures after 0, 1, ... migrations, and after each statement of one that commits statement by statement."""
    ground.fresh()
    whole, steps, backs = [ground.picture()], {}, {}
    for name, up, down in ground.chain:
        at = [whole[-1]]
        for statement in up:
            if statement.split()[0] not in ("BEGIN", "COMMIT", "PRAGMA"):
                ground.sql(statement)
            at.append(ground.picture())
        steps[name] = at
        whole.append(at[-1])
    for name, up, down in reversed(ground.chain):
        at = [ground.picture()]
        for statement in down:
            ground.sql(statement)
            at.append(ground.picture())
        backs[name] = at
    return whole, steps, backs


def agrees(ground, whole, steps, backs, tell):
    """Ledger and schema tell the same story; gives the name of the migration that is half done, or None."""
    ledger, picture = ground.ledger(), ground.picture()
    names = [name for name, _, _ in ground.chain]
    applied = [name for name in names if ledger.get(name, ("",))[0] == "applied"]
    half = [name for name in names if name in ledger and name not in applied]
    if half and half[0] == PARTS_OF_ONE[0][0] and ledger[half[0]][0].startswith("undo"):
        assert applied[-1] == PARTS_OF_ONE[1][0], f"{tell}: a part is forgotten before its way back is at its end"
        applied.pop()
    assert applied == names[:len(applied)], f"{tell}: applied are {applied}"
    assert len(half) <= 1, f"{tell}: half done are {half}"
    if not half:
        assert picture == whole[len(applied)], \
            f"{tell}: the ledger has {len(applied)} migrations, the schema differs: {sorted(picture ^ whole[len(applied)])[:5]}"
        return None
    assert ground.dialect == "mysql" or half[0].endswith(("online", "prepare")), f"{tell}: {half} is half done on {ground.dialect}"
    status, done = ledger[half[0]]
    pictures = (backs if status.startswith("undo") else steps)[half[0]]
    assert picture in pictures[done:done + 2], f"{tell}: status says {status} {done}, the schema differs: {sorted(picture ^ pictures[done])[:5]}"
    told = ground.kedge("migrate", "status", "--db", "db")
    assert told["exit"] == 1 and half[0] in told["out"] and f"{done} statements are done" in told["out"], f"{tell}: {told['out']}"
    refused = ground.kedge("migrate", "apply-pending", "--db", "db")
    assert refused["exit"] == 1 and "ERR_HALF_APPLIED" in refused["err"], f"{tell}: {refused['err']}"
    return half[0]


def modes_of(dialect):
    return [[], ["--lose"], ["--lose-answer"]] if dialect in ("postgres", "mysql") else [[]]


def every_end(ground, words, prepare, whole, tables, finish, final):
    """Runs `words` once whole to learn its calls, then once for each of them and each kind of end."""
    prepare()
    done, calls = ground.run_cut(0, [], *words)
    assert done.returncode == 0, done.stderr[-1500:]
    assert ground.picture() == final
    halves = ends = 0
    for mode in modes_of(ground.dialect):
        for at in range(1, len(calls) + 1):
            tell = f"{' '.join(words[:2])} {mode[0] if mode else 'kill'} at call {at} ({calls[at - 1][:70]})"
            prepare()
            done, _ = ground.run_cut(at, mode, *words)
            ends += 1
            if mode:
                assert done.returncode in (0, 2), f"{tell}: exit {done.returncode}: {done.stderr[-600:]}"
                assert done.returncode == 2 or ground.picture() == final, f"{tell}: exit 0 and not done"
            else:
                assert done.returncode == -signal.SIGKILL, f"{tell}: exit {done.returncode}"
            half = agrees(ground, whole, *tables, tell)
            if half:
                halves += 1
                resumed = ground.kedge("migrate", "resume", half, "--db", "db")
                assert resumed["exit"] == 0, f"{tell}: resume: {resumed['err'][-800:]}"
                assert agrees(ground, whole, *tables, tell + ", resumed") is None
            finish(tell)
            assert ground.picture() == final, f"{tell}: the end differs: {sorted(ground.picture() ^ final)[:6]}"
    return len(calls), ends, halves


def apply_part(ground):
    whole, steps, backs = stages(ground)

    def prepare():
        ground.fresh()
        ground.write_chain()

    def finish(_):
        ground.ok("migrate", "apply-pending", "--db", "db")
        again = ground.ok("migrate", "apply-pending", "--db", "db")
        assert "already up to date" in again["out"]

    calls, ends, halves = every_end(ground, ["migrate", "apply-pending", "--db", "db"], prepare, whole, (steps, backs), finish, whole[-1])
    print(f"apply-pending [{ground.dialect}]: {calls} calls, {ends} ends, {halves} of them half a migration that resume completed")


def rollback_part(ground):
    whole, steps, backs = stages(ground)

    def prepare():
        ground.fresh()
        ground.write_chain()
        ground.ok("migrate", "apply-pending", "--db", "db")

    def finish(_):
        ground.ok("migrate", "rollback", "--all", "--db", "db")

    calls, ends, halves = every_end(ground, ["migrate", "rollback", "--all", "--db", "db"], prepare, whole, (steps, backs), finish, whole[0])
    print(f"rollback [{ground.dialect}]: {calls} calls, {ends} ends, {halves} of them half a rollback that resume completed")


def entity(name, *fields):
    return {"object.entity": {"name": name, "children": [{"source.rdb": {}}, {"field.long": {"name": "id"}}, *fields,
                                                         {"identity.primary": {"fields": "id", "generation": "increment"}}]}}


def author_part(ground):
    """migrate --apply: whatever the end, the next run leads to what is declared, and the chain replays to it."""
    first = [entity("Port", {"field.string": {"name": "code", "maxLength": 9}})]
    second = [entity("Port", {"field.string": {"name": "code", "maxLength": 12}}, {"field.int": {"name": "size", "required": True, "default": 1}}),
              entity("Call", {"field.int": {"name": "tons"}}, {"index.lookup": {"name": "ix_tons", "fields": ["tons"]}})]

    def declare(children):
        ground.write("metadata/all.yml", json.dumps({"package": "t", "children": children}))

    def prepare():
        ground.fresh()
        declare(first)
        ground.ok("migrate", "--db", "db", "--apply", "--slug", "first")
        ground.sql("INSERT INTO ports (id, code) VALUES (1, 'A')" if ground.dialect != "duckdb" else "INSERT INTO ports (code) VALUES ('A')")
        declare(second)

    words = ["migrate", "--db", "db", "--apply", "--slug", "second"]
    prepare()
    done, calls = ground.run_cut(0, [], *words)
    assert done.returncode == 0, done.stderr
    final, ends, resumed = ground.picture(), 0, 0
    for mode in modes_of(ground.dialect):
        for at in range(1, len(calls) + 1):
            tell = f"migrate --apply {mode[0] if mode else 'kill'} at call {at} ({calls[at - 1][:70]})"
            prepare()
            done, _ = ground.run_cut(at, mode, *words)
            ends += 1
            assert done.returncode in ((0, 2) if mode else (-signal.SIGKILL,)), f"{tell}: exit {done.returncode}: {done.stderr[-600:]}"
            for name, (status, _) in ground.ledger().items():
                if status != "applied":
                    assert ground.dialect == "mysql", f"{tell}: {name} is {status}"
                    resumed += 1
                    ground.ok("migrate", "resume", name, "--db", "db")
            answer = ground.kedge("migrate", "--db", "db", "--apply", "--slug", "again")
            assert answer["exit"] == 0, f"{tell}: {answer['err'][-900:]}"
            answer = ground.kedge("verify", "--db", "db")
            assert answer["exit"] == 0, f"{tell}: {answer['out']}{answer['err']}"
            assert ground.picture() == final, f"{tell}: {sorted(ground.picture() ^ final)[:6]}"
            assert not list(ground.folder.glob("migrations/**/*.tmp*")), tell
    print(f"migrate --apply [{ground.dialect}]: {len(calls)} calls, {ends} ends, {resumed} of them half a migration that resume completed")


def together_part(ground):
    """Two at once, on the way there and back: one waits, each migration runs once, both exit 0."""
    whole, _, _ = stages(ground)
    for turn in range(6):
        ground.fresh()
        ground.write_chain()
        for words, final in ((["migrate", "apply-pending", "--db", "db"], whole[-1]), (["migrate", "rollback", "--all", "--db", "db"], whole[0])):
            ground.session.ask({"argv": ["--help"]})
            both = [subprocess.Popen([ground.args.session, "--log", os.devnull, "--at", "0", "--", "-C", str(ground.folder), *words],
                                     env=ground.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            outs = [one.communicate(timeout=120) for one in both]
            assert [one.returncode for one in both] == [0, 0], (words, [one.returncode for one in both], outs)
            done = sum(out.count(name) for out, _ in outs for name, _, _ in ground.chain)
            assert done == len(ground.chain), f"{words[1]}: {done} migrations were reported, there are {len(ground.chain)}: {outs}"
            assert ground.picture() == final, sorted(ground.picture() ^ final)[:6]
    print(f"together [{ground.dialect}]: two at once six times, there and back, {len(ground.chain)} migrations, each once")


PARTS = {"apply": apply_part, "rollback": rollback_part, "author": author_part, "together": together_part}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--session", required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--duckdb-lib")
    args = parser.parse_args()
    args.session = str(Path(args.session).resolve())
    return run_parts([PARTS[name] for name in args.part or PARTS], args, lambda databases: Ground(args, databases))


if __name__ == "__main__":
    sys.exit(main())
