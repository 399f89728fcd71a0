#!/usr/bin/env python3
"""Random walks: sequences of random edits of a declaration. Each step is planned, applied with rows in the tables, verified and planned
again (nothing may be left), offline too; then every step is undone, and the catalog and the rows are those of before.

usage: run_walk.py --session PATH --dialect sqlite|postgres|mysql|duckdb [--sequences N] [--steps N] [--seed N] [--seconds N] [--keep]
Sequence S of seed N is the same on every run. Last line: N passed, N failed.
"""
import argparse
import collections
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "cases" / "runner"))
import catalog  # noqa: E402
import edits  # noqa: E402
from kt.databases import Databases  # noqa: E402
from session import Session  # noqa: E402
from shape import Shape, literal, quote  # noqa: E402

# Refusals that depend on the rows or the request; anything else that stops a step is a fault.
REFUSALS = {"ERR_PRIMARY_KEY_UNFILLABLE", "ERR_PRIMARY_KEY_REMAP", "ERR_DATA_VIOLATES"}
# How the engines say that rows do not fit what a statement asks for.
DATA_WORDS = ("null", "violat", "convert", "invalid input", "cannot cast", "cannot be cast", "could not convert", "incorrect", "out of range", "truncated",
              "duplicate", "too long", "overflow", "constraint failed", "malformed json", "not fit", "is not a", "invalid json", "foreign key constraint fails",
              "that does not exist", "` failed for `", "type for cast (",  # what DuckDB says of a row that has a value
              "could not create unique index", "conversion error")
LOSSY = {"drop-check", "drop-column", "drop-table", "change-column-type", "change-column-identity", "drop-primary-key", "add-primary-key"}


class Stop(Exception):
    """The sequence ends here, and that is fine."""


class Walk:
    def __init__(self, session, dialect, options, folder, rng, counts):
        self.session, self.dialect, self.options, self.folder = session, dialect, options, folder
        self.rng, self.counts, self.number, self.log = rng, counts, 0, []
        self.shape = Shape(dialect)
        self.allow = set()

    # --- kedge and the database

    def kedge(self, *words):
        return self.session.ask({"argv": ["-C", str(self.folder), *words]})

    def sql(self, *statements):
        answer = self.session.ask({"connector": self.dialect, "options": self.options, "sql": list(statements)})
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["rows"]

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def declare(self, shape):
        self.write("metadata/all.yml", json.dumps(shape.documents()))

    def catalog(self):
        return catalog.lines(self.dialect, self.sql)

    def quoted(self, name):
        return quote(name, self.dialect)

    # --- rows

    def insert(self):
        """Two rows in each table, parents first; a refused row is a fault."""
        done = set()
        pending = list(self.shape.entities.values())
        while pending:
            ready = [one for one in pending if all(ref["references"] == one.name or ref["references"] in done for ref in one.references)]
            for entity in ready or pending[:1]:
                for _ in range(2):
                    self.number += 1
                    self.insert_row(entity, done)
                done.add(entity.name)
                pending.remove(entity)

    def insert_row(self, entity, done):
        columns, values = [], []
        referring = {reference["fields"][0]: reference["references"] for reference in entity.references}
        fields = entity.fields + [one for sub in entity.subtypes for one in sub["fields"]]
        for field in fields:
            if field.name in entity.key and entity.generation == "increment":
                continue  # the engine counts
            if field.name in referring:
                other = self.shape.entities[referring[field.name]]
                if other.name not in done:
                    continue
                # One that no other row has, where there is one: a unique key that was dropped must hold on the way back.
                mine = self.quoted(field.columns()[0])
                theirs = f"SELECT max({self.quoted(other.key[0])}{'::text' if self.dialect == 'postgres' else ''}) FROM {self.quoted(other.table)}"
                keys = self.sql(f"{theirs} WHERE {self.quoted(other.key[0])} NOT IN "
                                f"(SELECT {mine} FROM {self.quoted(entity.table)} WHERE {mine} IS NOT NULL)")
                keys = keys if keys[0][0] is not None else self.sql(theirs)
                own = [keys[0][0] if keys[0][0] is None or field.kind in ("uuid", "string") else int(keys[0][0])]
            elif field.name.startswith("ref"):
                continue  # a reference that was dropped: its old rule must hold on the way back
            else:
                own = field.values(self.number, self.dialect)
            for column, value in zip(field.columns(), own):
                columns.append(self.quoted(column))
                values.append(literal(value, self.dialect))
        if not columns:
            self.sql(f"INSERT INTO {self.quoted(entity.table)} " + ("() VALUES ()" if self.dialect == "mysql" else "DEFAULT VALUES"))
            return
        self.sql(f"INSERT INTO {self.quoted(entity.table)} ({', '.join(columns)}) VALUES ({', '.join(values)})")

    def rows(self, shape):
        """Entity -> {column -> sorted values, by row}: rows as tuples in the order of the key."""
        out = {}
        for entity in shape.entities.values():
            names = entity.columns()
            key = ", ".join(self.quoted(one) for one in entity.key)
            text = ", ".join(self.quoted(one) for one in names)
            out[entity.name] = [dict(zip(names, row)) for row in self.sql(f"SELECT {text} FROM {self.quoted(entity.table)} ORDER BY {key}")]
        return out

    # --- a step forward

    def plan(self, *more):
        answer = self.kedge("migrate", "--db", "db", "--dry-run", "--format", "json", *more)
        return answer, json.loads(answer["out"])

    def tokens(self):
        """The permissions that kedge asks for, one after another, until the plan passes; None when the declaration is refused."""
        allow, more = set(), ["--on-ambiguous", "drop-add"]
        for _ in range(6):
            answer, document = self.plan(*more, *(["--allow", ",".join(sorted(allow))] if allow else []))
            if answer["exit"] == 0:
                return allow, document
            wanted = {change["status"]["token"] for change in document["changes"] if change["status"].get("token")
                      and change["status"]["state"] == "blocked"}
            wanted |= {one for error in document["errors"] for one in (error.get("token") or "").split(",") if one}
            codes = {error["code"] for error in document["errors"]} | {one.get("code") for one in document["blocked"]}
            if not wanted - allow:
                if codes & REFUSALS:
                    return None, document
                raise AssertionError(f"the plan is refused: {answer['err'][:1200]}")
            allow |= wanted
        raise AssertionError(f"no end of permissions: {sorted(allow)}")

    def apply(self, allow, *more):
        answer = self.kedge("migrate", "--db", "db", "--apply", "--format", "json", "--on-ambiguous", "drop-add",
                            *(["--allow", ",".join(sorted(allow))] if allow else []), *more)
        return answer, json.loads(answer["out"])

    def is_data(self, text):
        return any(word in text.lower() for word in DATA_WORDS)

    def unchanged(self, before, rows, what):
        if self.dialect == "mysql":
            self.counts["half"] += 1
            told = self.kedge("migrate", "status", "--db", "db")
            if "failed" in told["out"]:
                raise Stop
        now = self.catalog()
        assert now == before, f"{what} left its marks: {sorted(now ^ before)[:6]}"
        assert rows is None or self.rows(self.shape) == rows, f"{what} changed rows"

    def step(self):
        before, rows, old = self.catalog(), self.rows(self.shape), self.shape.copy()
        self.shape = self.shape.copy()
        said = edits.edit(self.rng, self.shape)
        self.log.append("; ".join(said))
        self.declare(self.shape)
        checked = self.kedge("validate", "--format", "json")
        if checked["exit"] != 0:
            codes = {finding.get("code") for finding in json.loads(checked["out"]).get("findings", [])}
            self.counts["undeclarable"] += 1
            self.counts["undeclarable: " + ",".join(sorted(str(one) for one in codes))] += 1
            return self.back(old)
        allow, document = self.tokens()
        if allow is None:
            return self.refused(document, before, rows, old)
        kinds = {change["kind"] for change in document["changes"]}
        self.counts.update(kinds)
        answer, result = self.apply(allow)
        if answer["exit"] != 0:
            message = answer["err"]
            new, self.shape = self.shape, old
            assert result["errors"][0]["code"] == "ERR_APPLY_FAILED", message[:1500]
            # What a probe cannot ask: columns that the same migration adds, renames or retypes.
            assert self.is_data(message) and kinds & {"change-column-type", "add-column", "rename-column"}, message[:1500]
            self.counts["refused by the engine"] += 1
            self.unchanged(before, rows, "a failed migration")
            return self.back(old)
        self.settled()
        self.survived(rows, self.rows(self.shape), kinds, old, self.shape)
        if result["applied"]:
            self.levels.append((result["applied"], before, rows, old, self.shape.copy(), kinds))
        self.counts["steps"] += 1
        self.insert()
        return True

    def back(self, old):
        self.shape = old
        self.declare(old)
        return False

    def refused(self, document, before, rows, old):
        codes = {error["code"] for error in document["errors"]} | {one.get("code") for one in document["blocked"]}
        # mysql gives old rows a zero where a column may not be absent; asked for nothing, it would invent values.
        invents = self.dialect == "mysql" and "add-required-column" in json.dumps(document["errors"])
        if "ERR_DATA_VIOLATES" in codes and not invents:  # the engine must refuse it as well
            allow = set(edits_tokens())
            answer, result = self.apply(allow, "--no-probe")
            new, self.shape = self.shape, old
            assert answer["exit"] == 1 and result["errors"][0]["code"] in ("ERR_APPLY_FAILED", "ERR_PRIMARY_KEY_UNFILLABLE", "ERR_PRIMARY_KEY_REMAP"), \
                f"the probe objects, the engine does not: {json.dumps(document['errors'])[:900]}{answer['err'][:600]}"
            self.unchanged(before, rows, "a migration that the rows forbid")
        self.counts["refused for the rows"] += 1
        return self.back(old)

    def settled(self):
        answer, document = self.plan("--on-ambiguous", "drop-add")
        assert answer["exit"] == 0 and not document["changes"], f"planned again: {json.dumps(document['changes'])[:1500]}{answer['err'][:800]}"
        answer = self.kedge("migrate", "--dry-run", "--format", "json", "--on-ambiguous", "drop-add")
        changes = json.loads(answer["out"])["changes"]
        assert answer["exit"] == 0 and not changes, f"planned again offline: {json.dumps(changes)[:1500]}{answer['err'][:800]}"
        answer = self.kedge("verify", "--db", "db")
        assert answer["exit"] == 0, f"verify: {answer['out'][:1500]}{answer['err'][:800]}"

    def survived(self, before, after, kinds, old, new):
        """Rows are there with the values they had, as far as both declarations know the column in the same type."""
        for name, rows in before.items():
            if name not in new.entities:
                continue
            now = after[name]
            assert len(now) == len(rows), f"{name} has {len(now)} rows, had {len(rows)}"
            a, b = old.entities[name], new.entities[name]
            if a.key != b.key:
                continue
            for field in b.fields:
                was = a.field(field.former or field.name)
                if was is None or was.kind != field.kind or was.is_list() != field.is_list() or was.is_flat() or field.is_flat():
                    continue
                if {k: was.attributes.get(k) for k in ("intValueMap", "dbColumnType", "precision", "scale", "localTime")} != \
                        {k: field.attributes.get(k) for k in ("intValueMap", "dbColumnType", "precision", "scale", "localTime")}:
                    continue
                left, right = [row[was.name] for row in rows], [row[field.name] for row in now]
                if field.attributes.get("required") and not was.attributes.get("required"):
                    pairs = [(x, y) for x, y in zip(left, right) if x is not None]
                    left, right = [x for x, _ in pairs], [y for _, y in pairs]
                assert left == right, f"{name}.{field.name}: {left} became {right}"

    # --- and back

    def undo(self):
        lossy, self.gone, noted = False, set(), set()
        # What may differ after a step that gave up values, said by a NOTE in its down.
        for applied, before, rows, old, new, kinds in reversed(self.levels):
            lossy = lossy or bool(kinds & LOSSY)
            self.gone |= set(old.entities) - set(new.entities)
            here, here_rows = self.catalog(), None
            names = self.applied_names()
            place = names.index(applied[0])
            target = names[place - 1] if place else ""
            downs = "".join(self.down_of(one) for one in applied)
            answer = self.kedge("migrate", "--db", "db", "--rollback", target)
            if answer["exit"] != 0:
                assert "ERR_ROLLBACK_FAILED" in answer["err"] and lossy and self.is_data(answer["err"]), f"rollback: {answer['err'][:1500]}\n{downs[:3000]}"
                self.counts["rollback refused for lost values"] += 1
                if self.dialect != "mysql":
                    now = self.catalog()
                    assert now == here, f"a failed rollback left its marks: {sorted(now ^ here)[:6]}"
                raise Stop
            now = self.catalog()
            # What one step could not restore is missing below it too.
            noted |= {line for line in downs.splitlines() if line.startswith(("-- NOTE", "-- WARNING"))}
            difference = now ^ before
            assert not difference or noted, f"down does not lead back: {sorted(before - now)[:5]} became {sorted(now - before)[:5]}\n{downs[:2500]}"
            if difference:
                self.excused(now, before, noted, downs)
            self.kept(rows, old, lossy, any("held NULL it keeps" in line for line in noted))
            self.counts["undone"] += 1

    def excused(self, now, before, noted, downs):
        """A column that came back without its values may be absent now; nothing else may differ."""
        def loose(lines):
            out = set()
            for line in lines:
                line += " "
                if line.startswith("column "):
                    for word in ("notnull=true", "notnull=t", "notnull=1", "notnull=false", "notnull=f", "notnull=0", " NO ", " YES ", " true ", " false "):
                        line = line.replace(word, " ? ")
                    line = line.replace(" ? NULL ", " ? ")  # how MariaDB writes the absence of a default
                out.add(" ".join(line.split()))
            return out
        left = loose(now) ^ loose(before)
        assert not left, f"down does not lead back: {sorted(left)[:6]}\n{downs[:2500]}"

    def kept(self, rows, old, lossy, filled):
        """`filled`: a down said that a default took the place of NULLs."""
        now = self.rows(old)
        for name, was in rows.items():
            if name in self.gone:
                continue
            if not lossy:
                keyed = {tuple(row[k] for k in old.entities[name].key): row for row in now[name]}
                for row in was:
                    here = keyed.get(tuple(row[k] for k in old.entities[name].key))
                    same = here is not None and all(here[k] == v or (filled and v is None) for k, v in row.items())
                    assert same, f"{name}: {row} came back as {here}"
            else:
                assert len(now[name]) >= len(was), f"{name}: {len(was)} rows, {len(now[name])} came back"

    def applied_names(self):
        told = json.loads(self.kedge("migrate", "status", "--db", "db", "--format", "json")["out"])
        return [one["name"] for one in told["migrations"] if one["state"] == "applied"]

    def down_of(self, name):
        return (self.folder / "migrations" / name / "down.sql").read_text(encoding="utf-8")

    def run(self, steps):
        self.levels = []
        self.write("project.yml", json.dumps({"name": "t", "version": "1.0.0", "migrate": {"target": "db", "dialect": self.dialect}}))
        for _ in range(self.rng.randint(1, 3)):
            edits.add_entity(self.rng, self.shape)
        if self.rng.random() < 0.6:
            edits.change_reference(self.rng, self.shape)
        self.log.append("start")
        before = self.catalog()
        self.declare(self.shape)
        answer, result = self.apply(set())
        assert answer["exit"] == 0, f"the start: {answer['err'][:1500]}"
        self.settled()
        self.insert()
        first = result["applied"]
        try:
            for _ in range(steps):
                self.step()
            self.undo()
            self.kedge_ok("migrate", "--db", "db", "--rollback", "")
            now = self.catalog()
            assert now == before, f"something is left: {sorted(now - before)[:6]}"
        except Stop:
            self.counts["stopped"] += 1
        assert first

    def kedge_ok(self, *words):
        answer = self.kedge(*words)
        assert answer["exit"] == 0, answer["err"][:1500]


def edits_tokens():
    return ["drop-column", "drop-table", "type-change", "drop-index", "drop-fk", "drop-check", "nullable-to-not-null", "drop-view",
            "drop-identity-default", "primary-key-change", "rebuild-loss", "drop-unmanaged", "adopt-view"]


def reset(walk):
    """An empty database, for the servers whose database stays."""
    if walk.dialect == "postgres":
        walk.sql("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    elif walk.dialect == "mysql":
        walk.sql(f"DROP DATABASE {walk.options['database']}", f"CREATE DATABASE {walk.options['database']} CHARACTER SET utf8mb4")
        walk.session.ask({"argv": ["--help"]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--session", required=True)
    parser.add_argument("--dialect", required=True)
    parser.add_argument("--sequences", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the number of the first sequence")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further sequence after this time")
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a sequence that failed")
    parser.add_argument("--faults", type=int, default=10, help="stop after this many failed sequences")
    args = parser.parse_args()
    dbs = Databases(str(Path(args.duckdb_lib).resolve()) if args.duckdb_lib else None)
    counts = collections.Counter()
    passed = failed = 0
    home = Path(tempfile.mkdtemp(prefix="kwalk"))
    session = None
    try:
        env = dict(os.environ)
        options = {}
        if args.dialect in ("postgres", "mysql"):
            db = dbs.open(args.dialect, home / "db", home)
            env.update({key: str(value) for key, value in db.variables().items()})
            options = {key: str(value) for key, value in db.connection().items() if key != "connector"}
            connection = db.connection()
            if "password" in options:
                options["password"] = env["KT_MY_PASSWORD"]
        session = Session(args.session, env)
        end = time.monotonic() + args.seconds
        for number in range(args.first, args.first + args.sequences):
            if time.monotonic() > end:
                break
            folder = home / f"s{number}"
            folder.mkdir()
            if args.dialect in ("sqlite", "duckdb"):
                options = {"path": str(folder / "db.file")}
                connection = {"connector": args.dialect, **options}
            walk = Walk(session, args.dialect, options, folder, random.Random(f"{args.seed}/{number}"), counts)
            walk.write("connections.yml", json.dumps({"db": connection}))
            if args.dialect in ("sqlite", "duckdb"):
                walk.sql("SELECT 1")
            reset(walk)
            try:
                walk.run(args.steps)
                passed += 1
            except (AssertionError, RuntimeError, ValueError, KeyError, IndexError) as error:
                failed += 1
                print(f"FAIL {args.dialect} sequence {number} (seed {args.seed}) after: {' | '.join(walk.log)}\n  {type(error).__name__}: {str(error)[:3500]}")
                if args.keep:
                    print(f"  {folder}")
            sys.stdout.flush()
            if not (args.keep and folder.exists() and failed and "FAIL" and number in ()):
                if not args.keep or passed and walk is None:
                    shutil.rmtree(folder, ignore_errors=True)
            if failed >= args.faults:
                break
    finally:
        if session:
            session.close()
        dbs.stop()
        if not args.keep:
            shutil.rmtree(home, ignore_errors=True)
    print(f"walk [{args.dialect}]: {passed + failed} sequences, {counts['steps']} steps applied and verified, {counts['undone']} undone")
    print("  " + ", ".join(f"{key} {value}" for key, value in sorted(counts.items()) if key not in ("steps", "undone")))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
