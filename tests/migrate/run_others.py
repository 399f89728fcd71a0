#!/usr/bin/env python3
"""What others do meanwhile: three `migrate --apply` at once in one folder, a writer that holds the file, a user without rights.

usage: run_others.py --session PATH --dialect sqlite|postgres|mysql|duckdb [--duckdb-lib FILE]
Last line: N passed, N failed.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from parts import run_parts  # noqa: E402
from run_boundaries import Ground, entity  # noqa: E402


def start(ground, *words):
    return subprocess.Popen([ground.args.session, "--log", os.devnull, "--at", "0", "--", "-C", str(ground.folder), *words],
                            env=ground.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def authors(ground):
    """One waits for the other: the difference is written once, runs once, and all of them end well."""
    for turn in range(3):
        ground.fresh()
        for number, fields in enumerate(([], [{"field.string": {"name": "note", "maxLength": 9}}]), 1):
            ground.write("metadata/all.yml", json.dumps({"package": "t", "children": [entity("Kid", *fields), entity("Port", *fields)]}))
            ground.session.ask({"argv": ["--help"]})
            runs = [start(ground, "migrate", "--db", "db", "--apply") for _ in range(3)]
            outs = [one.communicate(timeout=120) for one in runs]
            assert [one.returncode for one in runs] == [0, 0, 0], outs
            chain = sorted(one.name for one in (ground.folder / "migrations").iterdir() if one.is_dir())
            assert len(chain) == number, f"the chain is {chain}: {outs}"
            assert {name: row[0] for name, row in ground.ledger().items()} == dict.fromkeys(chain, "applied"), ground.ledger()
            ground.ok("verify", "--db", "db")
            ground.ok("migrate", "status", "--db", "db")


def held_file(ground):
    """sqlite: another writer has the file. The wait is as long as the project says, and its end is no failed statement."""
    for hold in ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"):
        for words in (("migrate", "apply-pending", "--db", "db"), ("migrate", "rollback", "--all", "--db", "db"),
                      ("migrate", "--db", "db", "--apply")):
            ground.fresh({"ledger": {"lock_wait": "1s"}})
            ground.write_chain()
            ground.write("metadata/all.yml", json.dumps({"package": "t", "children": [entity("Kid")]}))
            if words[1] == "rollback":
                ground.ok("migrate", "apply-pending", "--db", "db")
            ground.session.ask({"argv": ["--help"]})
            other = sqlite3.connect(ground.options["path"], isolation_level=None, check_same_thread=False)
            other.execute(hold)
            began = time.monotonic()
            run = start(ground, *words)
            out, err = run.communicate(timeout=60)
            took = time.monotonic() - began
            assert run.returncode == 2 and "ERR_LOCK_TIMEOUT" in err, f"{hold}, {words}: exit {run.returncode}: {out}{err}"
            assert 0.9 < took < 4.5, f"{hold}, {words}: waited {took:.1f} s"
            other.execute("COMMIT")
            assert not list(ground.folder.glob("migrations/*kid*")), "a migration of a run that changed nothing is in the chain"
    ground.fresh({"ledger": {"lock_wait": "20s"}})
    ground.write_chain()
    ground.session.ask({"argv": ["--help"]})
    other = sqlite3.connect(ground.options["path"], isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    threading.Timer(1.5, lambda: other.execute("COMMIT")).start()
    run = start(ground, "migrate", "apply-pending", "--db", "db")
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, f"exit {run.returncode}: {out}{err}"


def as_root(ground, *statements):
    """The user of the tests owns everything on postgres; on mysql he may not give rights away."""
    if ground.dialect == "postgres":
        ground.sql(*statements)
        return
    done = ground.db.server._client(None, ";\n".join(statements) + ";", user="root", password=None)
    assert done.returncode == 0, done.stderr


def rights(ground):
    """A ledger that may not be read says nothing about what is pending; a statement that is refused is a failed migration."""
    ground.fresh()
    ground.write_chain()
    ground.ok("migrate", "apply-pending", "--db", "db")
    database, weak = ground.options["database"], "kt_weak"
    if ground.dialect == "postgres":
        as_root(ground, f"CREATE ROLE {weak} LOGIN", f"GRANT USAGE ON SCHEMA public TO {weak}", f"GRANT SELECT ON ports, calls TO {weak}")
        may_write = [f"GRANT SELECT, INSERT, UPDATE, DELETE ON _kedge_migrations TO {weak}"]
    else:
        password = ground.options["password"]
        who = f"'{weak}'@'%'"
        as_root(ground, f"CREATE USER {who} IDENTIFIED BY '{password}'", f"GRANT SELECT ON {database}.ports TO {who}")
        may_write = [f"GRANT SELECT, INSERT, UPDATE, DELETE ON {database}._kedge_migrations TO {who}"]
    ground.write("connections.yml", json.dumps({"db": ground.connection, "weak": {**ground.connection, "user": weak}}))
    ground.write("metadata/all.yml", json.dumps({"package": "t", "children": [entity("Port")]}))
    try:
        for words in (("migrate", "status"), ("migrate", "apply-pending"), ("verify",)):
            answer = ground.kedge(*words, "--db", "weak")
            told = answer["out"] + answer["err"]
            assert answer["exit"] == 2 and "_kedge_migrations cannot be read" in told, f"{words}: exit {answer['exit']}: {told}"
            assert "pending" not in answer["out"], f"{words}: {told}"
        as_root(ground, *may_write)
        ground.ok("migrate", "status", "--db", "weak")
        ground.write("migrations/20270101000009-refused/up.sql", "ALTER TABLE ports ADD COLUMN more INTEGER;\n")
        ground.write("migrations/20270101000009-refused/down.sql", "ALTER TABLE ports DROP COLUMN more;\n")
        answer = ground.kedge("migrate", "apply-pending", "--db", "weak")
        assert answer["exit"] == 1 and "ERR_APPLY_FAILED" in answer["err"], f"exit {answer['exit']}: {answer['out']}{answer['err']}"
    finally:
        ground.session.ask({"argv": ["--help"]})
        as_root(ground, *([f"DROP OWNED BY {weak}", f"DROP ROLE {weak}"] if ground.dialect == "postgres" else [f"DROP USER '{weak}'@'%'"]))


def own_lock_timeout(ground):
    """`-- kedge: lock_timeout` of a file holds for that file, up and down, in a transaction and outside; the next has its own again."""
    ground.fresh()
    now = {"postgres": "current_setting('lock_timeout')", "mysql": "@@SESSION.lock_wait_timeout"}[ground.dialect]
    before = str(ground.sql(f"SELECT {now} AS v")[0][0])
    wanted = "2s" if ground.dialect == "postgres" else "2"
    tell = f"INSERT INTO told SELECT %s, {now};\n"
    files = [("first", "", before), ("limited", "-- kedge: lock_timeout 2s\n", wanted), ("plain", "", before),
             ("alone", "-- kedge: lock_timeout 1500ms\n-- kedge: transaction off\n", "1500ms" if ground.dialect == "postgres" else "2"), ("last", "", before)]
    ground.sql("CREATE TABLE told (who VARCHAR(20), v VARCHAR(20))")
    for number, (name, head, _) in enumerate(files):
        ground.write(f"migrations/2027010100000{number}-{name}/up.sql", head + tell % f"'{name}'")
        ground.write(f"migrations/2027010100000{number}-{name}/down.sql", head + tell % f"'{name}, back'")
    ground.ok("migrate", "apply-pending", "--db", "db")
    ground.ok("migrate", "rollback", "--all", "--db", "db")
    told = {row[0]: str(row[1]) for row in ground.sql("SELECT who, v FROM told")}
    assert told == {who: value for name, _, value in files for who in (name, f"{name}, back")}, told
    ground.write("migrations/20270101000009-wrong/up.sql", "-- kedge: lock_timeout soon\n" + tell % "'wrong'")
    answer = ground.kedge("migrate", "apply-pending", "--db", "db")
    assert answer["exit"] != 0 and "'soon' is no duration" in answer["out"] + answer["err"], answer


PARTS = {"sqlite": [authors, held_file], "duckdb": [authors], "postgres": [authors, rights, own_lock_timeout],
         "mysql": [authors, rights, own_lock_timeout]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--session", required=True)
    parser.add_argument("--dialect", required=True, choices=list(PARTS))
    parser.add_argument("--duckdb-lib")
    args = parser.parse_args()
    args.session = str(Path(args.session).resolve())
    return run_parts(PARTS[args.dialect], args, lambda databases: Ground(args, databases))


if __name__ == "__main__":
    sys.exit(main())
