#!/usr/bin/env python3
"""A project of semantic models over a Postgres database of its own, and the time that validate-models takes on it.

models.py [--kedge PATH] [--steps PATH] [--models 2000] [--runs 3]
30 columns a model, 20 % derived, 5 % of the live columns dropped. Prints one line of numbers.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests" / "cases" / "runner"))
from kt.common import dump_yaml  # noqa: E402
from kt.databases import Databases  # noqa: E402

COLUMNS, DERIVED = 30, 6


def model_text(number, count):
    other = f"m{(number + 1) % count}"
    lines = [f"name: m{number}", f"sql_table: m{number}", "columns:"]
    for column in range(COLUMNS - DERIVED):
        lines.append(f"  - {{name: c{column}, type: DOUBLE{', primary_key: true' if column == 0 else ''}}}")
    for column in range(DERIVED):
        lines.append(f"  - {{name: d{column}, type: DOUBLE, sql: \"COALESCE(c{column + 1}, 0) / NULLIF(c{column + 7}, 0) + {other}.c{column + 3}\"}}")
    lines.append("measures:")
    for column in range(4):
        lines.append(f"  - {{name: q{column}, formula: \"d{column}:sum / c{column + 2}:sum\"}}")
    lines += ["joins:", f"  - {{target_model: {other}, join_pairs: [[c1, c0]]}}", "filters: [\"c2 > 0 AND c3 IS NOT NULL\"]", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", type=lambda text: Path(text).resolve(), help="measure the program as a whole")
    parser.add_argument("--steps", type=lambda text: Path(text).resolve(), help="validate_models_bench: measure its steps")
    parser.add_argument("--models", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    databases, chance = Databases(), random.Random(20)
    with tempfile.TemporaryDirectory(prefix="kedge-bench-") as folder:
        os.chmod(folder, 0o755)
        project = Path(folder) / "p"
        (project / "models/main").mkdir(parents=True)
        try:
            database = databases.open("postgres", Path(folder) / "x", Path(folder))
            tables = []
            for number in range(args.models):
                kept = [f"c{c} double precision" for c in range(COLUMNS) if chance.randrange(20)]
                tables.append(f"CREATE TABLE m{number} ({', '.join(kept)});")
                (project / f"models/main/m{number}.yml").write_text(model_text(number, args.models))
            for start in range(0, len(tables), 200):
                database.script("BEGIN;\n" + "\n".join(tables[start:start + 200]) + "\nCOMMIT;\n")
            (project / "project.yml").write_text("name: bench\nversion: \"1.0.0\"\n")
            (project / "connections.yml").write_text(dump_yaml({"main": database.connection()}))
            if args.steps:
                settings = database.connection()
                for _ in range(args.runs):
                    subprocess.run([args.steps, project, settings["host"], str(settings["port"]), settings["database"],
                                    settings["user"]], check=True)
            if args.kedge:
                report(args, project, database)
        finally:
            databases.stop()


def report(args, project, database):
    catalog = ("SELECT c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) FROM pg_class c JOIN pg_attribute a "
               "ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND a.attnum > 0 "
               "AND NOT a.attisdropped AND c.relkind = 'r'")
    wall, cpu, raw, inspect = [], [], [], []
    for _ in range(args.runs):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([args.kedge, "-C", project, "validate-models", "--format", "json"], capture_output=True, check=True)
        wall.append(time.monotonic() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        started = time.monotonic()
        subprocess.run([args.kedge, "-C", project, "inspect", "main", "--format", "json"], capture_output=True)
        inspect.append(time.monotonic() - started)
        started = time.monotonic()
        database.query(catalog)
        raw.append(time.monotonic() - started)
    entries = len(json.loads(done.stdout))
    print(f"{args.models} models, {entries} entries: wall {min(wall):.2f} s, CPU of kedge {min(cpu):.2f} s, kedge inspect alone "
          f"{min(inspect):.2f} s, psql fetching columns {min(raw):.2f} s (best of {args.runs}, load {os.getloadavg()[0]:.0f})")


if __name__ == "__main__":
    main()
