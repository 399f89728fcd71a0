#!/usr/bin/env python3
"""`kedge diff --prove` on real databases: what leads to the target is proved with the rows of A, what the rows refuse is not, and A is
left as it was."""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) in sys.path:
    sys.path.remove(str(HERE))  # its folder "duckdb" is no module
sys.path.insert(0, str(HERE.parents[1] / "cases" / "runner"))
sys.path.insert(1, str(HERE.parents[1] / "support"))
from documents import document_faults                  # noqa: E402
from kt.common import Skip                             # noqa: E402
from kt.databases import Databases, SqlError           # noqa: E402
from kt.diff import catalog, count_rows, url           # noqa: E402

# dialect, name, before, after, rows copied when proved, the words of the refusal or the tables with other values, more flags
CASES = [
    ("sqlite", "rebuild under view and trigger", """
CREATE TABLE p (id integer PRIMARY KEY, name text NOT NULL, x real, b blob);
CREATE TABLE c (id integer PRIMARY KEY, p_id integer REFERENCES p (id), s text DEFAULT 'q');
CREATE TRIGGER tr AFTER INSERT ON c BEGIN UPDATE p SET x = 1 WHERE id = new.p_id; END;
CREATE VIEW v AS SELECT id, name FROM p;
INSERT INTO p VALUES (1, 'it''s', 9e999, x'00ff'), (2, 'b', NULL, NULL);
INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b');""", """
CREATE TABLE p (id integer PRIMARY KEY, name text NOT NULL, x real, b blob, extra text DEFAULT 'e');
CREATE TABLE c (id integer PRIMARY KEY, p_id integer NOT NULL REFERENCES p (id) ON DELETE CASCADE, s text DEFAULT 'z');
CREATE TRIGGER tr AFTER INSERT ON c BEGIN UPDATE p SET x = 2 WHERE id = new.p_id; END;
CREATE VIEW v AS SELECT id, name, extra FROM p;""", 4),
    ("sqlite", "rows without a value", "CREATE TABLE t (a integer); INSERT INTO t VALUES (NULL);",
     "CREATE TABLE t (a integer NOT NULL);", "NOT NULL"),
    ("postgres", "types of all kinds", r"""
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE p (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m mood, tags text[], j jsonb, b bytea, at timestamptz,
  f double precision, ok boolean, n numeric(8,2), one text[], twice numeric GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE c (id serial PRIMARY KEY, p_id bigint REFERENCES p (id), s text);
CREATE VIEW v AS SELECT id, m FROM p;
INSERT INTO p (m, tags, j, b, at, f, ok, n, one) VALUES
  ('a', '{a,"b c",NULL}', '{"k":[1,"q''s"]}', '\x00ff', '2020-01-01 00:00:00+02', 'NaN', true, 12.50, '{x}'),
  ('b', NULL, NULL, NULL, NULL, '-Infinity', false, NULL, '{}');
INSERT INTO c (p_id, s) VALUES (1, 'a'), (2, 'it''s \ b');""", """
CREATE TYPE mood AS ENUM ('a', 'b', 'c');
CREATE TABLE p (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m mood, tags text[], j jsonb, b bytea, at timestamptz,
  f double precision, ok boolean, n numeric(8,2), one text, twice numeric GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE c (id serial PRIMARY KEY, p_id bigint REFERENCES p (id), s varchar(20) NOT NULL);
CREATE VIEW v AS SELECT id, m, one FROM p;""", 4),
    ("postgres", "rows that a check not validated forbids", """
CREATE TABLE t (a integer);
INSERT INTO t VALUES (-1);
ALTER TABLE t ADD CONSTRAINT positive CHECK (a > 0) NOT VALID;""", """
CREATE TABLE t (a bigint);
ALTER TABLE t ADD CONSTRAINT positive CHECK (a > 0) NOT VALID;""", 1),
    ("postgres", "a trigger that touches other columns while rows are filled", """
CREATE TABLE t (id integer PRIMARY KEY, a integer, b integer);
CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.b = NEW.b + 1; RETURN NEW; END';
CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION spoil();
INSERT INTO t VALUES (1, NULL, 5), (2, 3, NULL);""", """
CREATE TABLE t (id integer PRIMARY KEY, a integer NOT NULL DEFAULT 7, b integer);
CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.b = NEW.b + 1; RETURN NEW; END';
CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION spoil();""", ["t"]),
    ("postgres", "grants to a role that a fresh server has not", """
DO 'BEGIN CREATE ROLE "Kedge prover"; EXCEPTION WHEN duplicate_object THEN NULL; END';
CREATE TABLE t (a integer);
CREATE VIEW v AS SELECT a FROM t;
GRANT SELECT ON v TO "Kedge prover";
ALTER DEFAULT PRIVILEGES FOR ROLE "Kedge prover" GRANT SELECT ON TABLES TO PUBLIC;
INSERT INTO t VALUES (1), (2);""", """
CREATE TABLE t (a bigint);
CREATE VIEW v AS SELECT a FROM t;
GRANT SELECT ON v TO "Kedge prover";""", 2),
    ("postgres", "a column that is renamed and retyped under a generated one",
     "CREATE TABLE t (id integer PRIMARY KEY, a integer, g integer GENERATED ALWAYS AS (a + 1) STORED); INSERT INTO t VALUES (1, 2);",
     "CREATE TABLE t (id integer PRIMARY KEY, b smallint, g integer GENERATED ALWAYS AS (b + 1) STORED);", 1,
     ["--rename-column", "t.a=b"]),
    ("postgres", "policies for roles that a fresh server has not", """
DO 'BEGIN CREATE ROLE "Kedge ""reader"; CREATE ROLE kedge_writer; EXCEPTION WHEN duplicate_object THEN NULL; END';
CREATE TABLE t (a integer, "TO" text);
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON t FOR SELECT TO "Kedge ""reader", kedge_writer USING ("TO" = 'FOR ALL TO x');
INSERT INTO t VALUES (1), (2);""", """
CREATE TABLE t (a bigint, "TO" text);
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON t FOR UPDATE TO kedge_writer USING (a > 0) WITH CHECK (a > 1);
CREATE POLICY q ON t;""", 2),
    ("postgres", "a longer array", "CREATE TABLE t (a text[]); INSERT INTO t VALUES ('{x,y}');", "CREATE TABLE t (a text);",
     "array {x,y} has more than one element"),
    ("duckdb", "types of all kinds", r"""
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE p (id bigint PRIMARY KEY, m mood, tags varchar[], st struct(a integer, b varchar), mp map(varchar, integer), b blob,
  f double, ok boolean, n decimal(8,2), h hugeint);
CREATE TABLE c (id integer PRIMARY KEY, p_id bigint REFERENCES p (id), s varchar);
CREATE INDEX c_s ON c (s);
CREATE VIEW v AS SELECT id, m FROM p;
INSERT INTO p VALUES (1, 'a', ['a', 'b, c', NULL, 'q''s'], {'a': 1, 'b': 'x, y'}, MAP {'k': 1}, '\x00\xff'::blob, 'nan', true, 12.50,
  170141183460469231731687303715884105727), (2, 'b', NULL, NULL, NULL, NULL, '-inf', false, NULL, NULL);
INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b');""", """
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE p (id bigint PRIMARY KEY, m mood, tags varchar[], st struct(a integer, b varchar), mp map(varchar, integer), b blob,
  f double, ok boolean, n decimal(8,2), h hugeint);
CREATE TABLE c (id integer PRIMARY KEY, p_id bigint REFERENCES p (id), s varchar, extra varchar DEFAULT 'e');
CREATE INDEX c_s ON c (s);
CREATE VIEW v AS SELECT id, m, ok FROM p;""", 4),
    ("duckdb", "rows that are no numbers", "CREATE TABLE t (a varchar); INSERT INTO t VALUES ('x');", "CREATE TABLE t (a integer);",
     "Could not convert string 'x'"),
] + [
    (dialect, "declared renames", "CREATE TABLE t (id integer PRIMARY KEY, a integer); INSERT INTO t VALUES (1, 2);",
     "CREATE TABLE u (id integer PRIMARY KEY, b integer);", 1, ["--rename-table", "t=u", "--rename-column", "u.a=b"])
    for dialect in ("sqlite", "postgres", "mysql", "duckdb")
]


def prove(kedge: str, a, b, wanted, flags: list[str]) -> None:
    before = catalog(a), count_rows(a)
    done = subprocess.run([kedge, "diff", url(a), url(b), "--prove", "--format", "json", *flags], capture_output=True, text=True, timeout=60)
    faults = document_faults("diff", done.stdout)
    assert not faults, faults[:3]
    proof = json.loads(done.stdout).get("proof")
    assert proof, done.stdout[-500:] + done.stderr
    if isinstance(wanted, int):
        assert done.returncode == 1 and proof["holds"] and proof["rows_copied"] == wanted, (done.returncode, proof)
    elif isinstance(wanted, list):
        assert done.returncode == 2 and not proof["holds"] and proof["rows_changed"] == wanted and not proof["rows_lost"], (done.returncode, proof)
    else:
        assert done.returncode == 2 and not proof["holds"] and wanted in proof["failure"], (done.returncode, proof)
    assert (catalog(a), count_rows(a)) == before, "the proof has changed A"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    dbs, passed, failed = Databases(args.duckdb_lib), 0, 0
    try:
        for dialect, name, before, after, wanted, *flags in CASES:
            if args.only not in f"{dialect} {name}":
                continue
            try:
                with tempfile.TemporaryDirectory(prefix="kedge-prove-") as folder:
                    space = Path(folder)
                    a, b = (dbs.open(dialect, space / f"{side}.db", space) for side in "ab")
                    try:
                        a.script(before)
                        b.script(after)
                        prove(args.kedge, a, b, wanted, flags[0] if flags else [])
                    finally:
                        a.close()
                        b.close()
                passed += 1
            except (AssertionError, SqlError, Skip, ValueError, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f"FAIL {dialect} {name}: {str(problem)[:600]}")
    finally:
        dbs.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
