#!/usr/bin/env python3
"""Before/after pairs on real databases: <dialect>/<case>/{before.sql,after.sql,expected.txt}.

For each pair: kedge lists exactly the changes of expected.txt; its SQL, applied to *before* by the engine's own client, makes the diff
against *after* empty and both catalogs equal as the engine prints them; no row is lost; a database against itself, against its own
dump and restore, and against what the statements of `kedge inspect --format sql` make, of it and of its snapshot file, is empty; every
JSON document fits its schema in docs/reference. With a refused.txt, the engine refuses the SQL with that text (the rows do not fit) and
nothing has changed, catalog and rows. A catalogs-differ.txt says why the engine prints two catalogs that are one to kedge. A flags.txt
holds more flags of the comparison. KEDGE_UPDATE_GOLDENS=1 writes expected.txt (never in CI)."""
from __future__ import annotations

import argparse
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.remove(str(HERE))  # its folder "duckdb" is no module
sys.path.insert(0, str(HERE.parents[1] / "cases" / "runner"))
sys.path.insert(1, str(HERE.parents[1] / "support"))
from documents import document_faults                               # noqa: E402
from kt.common import Skip                                          # noqa: E402
from kt.databases import PASSWORD, USER, Databases, SqlError       # noqa: E402
from kt.diff import catalog, count_rows, delta, url                 # noqa: E402

UPDATE = os.environ.get("KEDGE_UPDATE_GOLDENS") == "1" and not os.environ.get("CI")


class Failure(Exception):
    pass


@dataclass(frozen=True)
class Program:
    path: str
    flags: tuple[str, ...] = ()  # of the case, for `kedge diff` and `kedge inspect`


def call(kedge: Program, *args: str) -> subprocess.CompletedProcess:
    flags = kedge.flags if args[0] in ("diff", "inspect") else ()
    return subprocess.run([kedge.path, *args, *flags], capture_output=True, text=True, timeout=60)


def run(kedge: Program, *args: str) -> subprocess.CompletedProcess:
    return call(kedge, "diff", *args)


def expect_equal(kedge: Program, a: str, b: str, what: str) -> None:
    done = run(kedge, a, b)
    if done.returncode != 0:
        raise Failure(f"{what}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[:400]}")


def newest(program: str) -> str:
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"))
    return found[-1] if found else program


def dump(database) -> str | None:
    """The database as its own client writes it; None where there is no such client."""
    if database.dialect == "sqlite":
        con = sqlite3.connect(database.path)
        try:
            return "\n".join(con.iterdump())
        finally:
            con.close()
    if database.dialect == "postgres":
        s = database.server
        command = [newest("pg_dump"), "--no-owner", "-h", s.host, "-p", str(s.port), "-U", USER, database.name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        keep = [line for line in done.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]
        return "\n".join(keep) + "\n"
    if database.dialect == "mysql":
        s = database.server
        program = shutil.which("mariadb-dump") or shutil.which("mysqldump")
        if not program:
            return None
        command = [program, "--no-defaults", f"--socket={s.socket}", f"--user={USER}", "--routines", "--events", "--triggers", database.name]
        env = {"MYSQL_PWD": PASSWORD, "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
        if done.returncode:
            raise Failure("dump: " + done.stderr.strip()[:200])
        return done.stdout
    return None


def restore(dbs, database, space: Path):
    copy = dbs.open(database.dialect, space / "restored.db", space)
    if database.dialect == "duckdb":
        folder = space / "export"
        database.script(f"EXPORT DATABASE '{folder}';")
        copy.script(f"IMPORT DATABASE '{folder}';")
        return copy
    text = dump(database)
    if text is None:
        raise Skip("no client that can dump " + database.dialect)
    if database.dialect == "sqlite":
        con = sqlite3.connect(copy.path)
        con.executescript(text)
        con.close()
    else:
        copy.script(text)
    return copy


def snapshot(kedge: Program, database, space: Path) -> str:
    file = space / "snapshot.json"
    done = call(kedge, "snapshot", url(database), "--out", str(file))
    if done.returncode != 0:
        raise Failure(f"snapshot exits {done.returncode}: {done.stderr.strip()[:400]}")
    return f"snapshot:{file}"


def rebuild(kedge: Program, dbs, database, space: Path, name: str, source: str):
    """The database made anew from what `kedge inspect --format sql` prints of it, or of its snapshot."""
    done = call(kedge, "inspect", source, "--format", "sql")
    if done.returncode != 0:
        raise Failure(f"inspect exits {done.returncode}: {done.stderr.strip()[:400]}")
    copy = dbs.open(database.dialect, space / name, space)
    try:
        copy.script(done.stdout)
    except SqlError as error:
        copy.close()
        raise Failure(f"the statements of inspect do not load: {str(error)[:300]} in:\n{done.stdout[:1500]}") from None
    return copy


def check_documents(kedge: Program, a, b) -> None:
    for name, words in (("diff", ["diff", url(a), url(b), "--format", "json"]), ("schema", ["snapshot", url(b)]),
                        ("inspect", ["inspect", url(b), "--format", "json"])):
        faults = document_faults(name, call(kedge, *words).stdout)
        if faults:
            raise Failure(f"{words[0]} does not fit docs/reference/schemas/{name}.json: {faults[:3]}")


def listed(kedge: Program, a, b) -> str:
    done = run(kedge, url(a), url(b))
    if done.returncode not in (0, 1):
        raise Failure(f"diff exits {done.returncode}: {done.stderr.strip()[:400]}")
    return done.stdout


def check_expected(case: Path, text: str) -> None:
    golden = case / "expected.txt"
    if UPDATE:
        golden.write_text(text, encoding="utf-8")
        return
    wanted = golden.read_text(encoding="utf-8") if golden.is_file() else "(no expected.txt)"
    if wanted != text:
        raise Failure(f"lists\n{text}instead of\n{wanted}")


def apply(kedge: Program, a, b, whole: bool) -> None:
    rows = count_rows(a)
    sql = run(kedge, url(a), url(b), "--format", "sql").stdout
    if sql:
        try:
            a.script(sql)
        except SqlError as error:
            raise Failure(f"does not apply: {str(error)[:300]} in:\n{sql[:1500]}") from None
    expect_equal(kedge, url(a), url(b), "does not converge")
    left, right = catalog(a), catalog(b)
    if whole and left != right:
        raise Failure("catalogs differ: " + delta(a, b))
    now = count_rows(a)
    lost = [t for t, n in rows.items() if t in now and now[t] < n]
    gone = [t for t in rows if t not in now and t in count_rows(b, [t])]
    if lost or gone:
        raise Failure(f"rows lost: {lost + gone}")


def contents(database) -> dict[str, list]:
    return {table: database.query(f"SELECT * FROM {table}")[1] for table in count_rows(database)}


def run_on(path: Path, sql: str) -> None:
    """As SQLite's client runs a script: what fails is no reason to stop."""
    con = sqlite3.connect(path, isolation_level=None)
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            try:
                con.execute(statement).fetchall()
            except sqlite3.Error:
                pass
            statement = ""
    con.close()


def refuse(kedge: Program, a, b, wanted: str) -> None:
    before = catalog(a), contents(a)
    sql = run(kedge, url(a), url(b), "--format", "sql").stdout
    try:
        a.script(sql)
    except SqlError as error:
        if wanted not in str(error):
            raise Failure(f"refused otherwise: {str(error)[:300]}") from None
    else:
        raise Failure(f"applies, though it should be refused:\n{sql[:1500]}")
    if (catalog(a), contents(a)) != before:
        raise Failure("refused, but something has changed")
    if a.dialect == "sqlite":
        run_on(a.path, sql)
        if contents(a) != before[1]:
            raise Failure("refused, but rows are lost when the client goes on")


def check(path: str, dbs, dialect: str, case: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kedge-scenario-") as folder:
        space = Path(folder)
        flags = case / "flags.txt"
        kedge = Program(path, tuple(flags.read_text(encoding="utf-8").split()) if flags.is_file() else ())
        opened = []
        try:
            a = dbs.open(dialect, space / "a.db", space)
            b = dbs.open(dialect, space / "b.db", space)
            opened = [a, b]
            a.script((case / "before.sql").read_text(encoding="utf-8"))
            b.script((case / "after.sql").read_text(encoding="utf-8"))
            check_expected(case, listed(kedge, a, b))
            expect_equal(kedge, url(b), url(b), "differs from itself")
            if not (case / "skip-dump.txt").is_file():  # the engine's own dump loses something: says why
                copy = restore(dbs, b, space)
                opened.append(copy)
                expect_equal(kedge, url(b), url(copy), "differs from its own dump")
            sources = [(a, "before", url(a)), (b, "after", url(b))]
            if "--privileges" not in kedge.flags:  # a snapshot file holds none
                sources.append((b, "snapshot of after", snapshot(kedge, b, space)))
            for side, label, source in sources:
                copy = rebuild(kedge, dbs, side, space, label + ".db", source)
                opened.append(copy)
                expect_equal(kedge, url(side), url(copy), f"inspect --format sql of {label} makes something else")
            check_documents(kedge, a, b)
            if (case / "refused.txt").is_file():
                refuse(kedge, a, b, (case / "refused.txt").read_text(encoding="utf-8").strip())
            else:
                apply(kedge, a, b, not (case / "catalogs-differ.txt").is_file())
        finally:
            for database in opened:
                database.close()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--dialect", choices=["postgres", "sqlite", "mysql", "duckdb"])
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    dbs = Databases(args.duckdb_lib)
    cases = [(d, c) for d in ("postgres", "sqlite", "mysql", "duckdb") if args.dialect in (None, d)
             for c in sorted((HERE / d).iterdir()) if c.is_dir() and args.only in c.name]
    for kind in {d for d, _ in cases} & {"postgres", "mysql"}:
        dbs.server(kind)  # servers are started from this thread
    passed = failed = 0
    try:
        with ThreadPoolExecutor(args.jobs) as pool:
            def one(item):
                dialect, case = item
                try:
                    check(args.kedge, dbs, dialect, case)
                    return item, None
                except (Failure, SqlError, Skip, subprocess.TimeoutExpired) as error:
                    return item, str(error)
            for (dialect, case), problem in pool.map(one, cases):
                if problem is None:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAIL {dialect}/{case.name}: {problem}")
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
