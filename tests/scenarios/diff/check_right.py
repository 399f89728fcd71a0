#!/usr/bin/env python3
"""The sentences under `right` of tests/cases/diff, each as a check on a real database."""
from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) in sys.path:
    sys.path.remove(str(HERE))  # its folder "duckdb" is no module
sys.path.insert(0, str(HERE.parents[1] / "cases" / "runner"))
from kt.common import load_yaml                        # noqa: E402
from kt.databases import Databases, SqlError           # noqa: E402
from kt.diff import url                                # noqa: E402

CASES = HERE.parents[1] / "cases" / "diff"


class Bench:
    """Two databases, and kedge between them."""

    def __init__(self, kedge: str, dbs: Databases, dialect: str, space: Path):
        self.kedge, self.dialect, self.space = kedge, dialect, space
        self.a = dbs.open(dialect, space / "a.db", space)
        self.b = dbs.open(dialect, space / "b.db", space)

    def load(self, before: str, after: str) -> None:
        self.a.script(before)
        self.b.script(after)

    def diff(self, *more: str, left: str | None = None, right: str | None = None):
        done = subprocess.run([self.kedge, "diff", left or url(self.a), right or url(self.b), *more], capture_output=True,
                              text=True, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def lines(self) -> list[str]:
        return [line for line in self.diff().splitlines() if line[:2] in ("+ ", "- ", "~ ")]

    def apply(self) -> str:
        sql = self.diff("--format", "sql")
        self.a.script(sql)
        return sql

    def rows(self, sql: str) -> list:
        return self.a.query(sql)[1]

    def close(self) -> None:
        self.a.close()
        self.b.close()


def bigserial_becomes_identity(t, case):
    t.load(case["before"], case["after"])
    assert t.lines() == ["~ column t.id identity serial -> always"], t.lines()
    sql = t.apply()
    assert sql.index("DROP DEFAULT") < sql.index("DROP SEQUENCE") < sql.index("ADD GENERATED ALWAYS") < sql.index("setval"), sql
    t.a.script("INSERT INTO t (n) VALUES ('d');")
    assert t.rows("SELECT id FROM t WHERE n = 'd'") == [["4"]]
    assert t.rows("SELECT count(*) AS n FROM pg_class WHERE relkind = 'S'") == [["1"]]


def boolean(t, case):
    t.load(case["before"], case["before"])
    assert t.diff("--format", "sql") == ""


def default_of_a_text_column(t, case):
    t.load(case["before"], case["before"].replace("DEFAULT '1'", "DEFAULT '2'"))
    assert len(t.lines()) == 1 and "topic.num" in t.lines()[0], t.lines()


def default_that_is_an_expression(t, case):
    t.load(case["before"], case["before"])
    assert t.diff("--format", "sql") == ""


def expression_default(t, case):
    t.load(case["before"], case["after"])
    before = [row[:5] for row in t.rows("PRAGMA table_info(news)")]
    t.apply()
    assert [row[:5] for row in t.rows("PRAGMA table_info(news)")] == before
    assert t.lines() == []


def names_longer_than_63_bytes(t, case):
    t.load(case["before"], "SELECT 1;")
    script = t.space / "declared.sql"
    script.write_text(case["before"], encoding="utf-8")
    assert t.diff("--format", "sql", right=f"sql:{script}") == ""
    long = "x" * 63
    script.write_text(f'CREATE TABLE t (a integer); CREATE INDEX "{long}1" ON t (a); CREATE INDEX "{long}2" ON t (a);')
    done = subprocess.run([t.kedge, "diff", url(t.a), f"sql:{script}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and long in done.stderr, (done.returncode, done.stderr)


def new_enum_label_used_in_the_same_plan(t, case):
    t.load(case["before"], case["after"])
    sql = t.apply()
    assert "step 1 of 2: must be committed alone" in sql and sql.index("ADD VALUE") < sql.index("BEGIN;"), sql
    assert t.rows("SELECT enumlabel FROM pg_enum ORDER BY enumsortorder") == [["new"], ["active"], ["done"]]
    assert t.rows("SELECT state FROM work WHERE id = 1") == [["new"]]


def nulls_not_distinct(t, case):
    t.load(case["before"], case["after"])
    t.apply()
    assert t.rows("SELECT count(*) AS n FROM pg_index WHERE indnullsnotdistinct") == [["2"]]
    t.b.script("DROP INDEX person_ux; CREATE UNIQUE INDEX person_ux ON person (first, last, middle);")
    assert [line.split()[:3] for line in t.lines()] == [["-", "index", "person.person_ux"], ["+", "index", "person.person_ux"]]


def partial_index_with_an_in_list(t, case):
    t.load(case["before"], case["before"].replace("WHERE state IN ('new', 'seen')", "WHERE state IN ('new', 'seen', 'done')"))
    assert [line.split()[:3] for line in t.lines()] == [["-", "index", "ticket.ticket_open_ix"], ["+", "index", "ticket.ticket_open_ix"]]


def rebuild_empties_child_tables(t, case):
    t.load(case["before"], case["after"])
    sql = t.apply()
    order = [sql.index(word) for word in ("PRAGMA foreign_keys = OFF", "BEGIN", 'DROP TABLE "chat"', "foreign_key_check", "COMMIT",
                                          "PRAGMA foreign_keys = ON")]
    assert order == sorted(order), sql
    assert t.rows("SELECT count(*) FROM msg") == [[2]] and t.rows("SELECT chat_id FROM pin") == [[1]]


def strict_and_without_rowid(t, case):
    t.load(case["before"], case["after"])
    sql = t.apply()
    assert 'ALTER TABLE "kv" ADD COLUMN' in sql and '"both"' not in sql and "STRICT" in sql, sql
    t.b.script("DROP TABLE st; CREATE TABLE st (id integer PRIMARY KEY, v any CHECK (v <> ''));")
    assert any("st" in line and "strict" in line for line in t.lines()), t.lines()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    dbs, passed, failed = Databases(), 0, 0
    try:
        for path in sorted(CASES.glob("*.yml")):
            check = globals().get(path.stem.replace("-", "_"))
            if args.only not in path.stem:
                continue
            try:
                assert check is not None, "no check of its sentences"
                case = load_yaml(path)
                with tempfile.TemporaryDirectory(prefix="kedge-right-") as folder:
                    bench = Bench(args.kedge, dbs, case["dialect"], Path(folder))
                    try:
                        check(bench, case)
                    finally:
                        bench.close()
                passed += 1
            except (AssertionError, SqlError, ValueError) as problem:
                failed += 1
                print(f"FAIL {path.stem}: {str(problem)[:600]}")
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
