#!/usr/bin/env python3
"""`validate --connect` over many entities of one server, beside one introspection of the same database.

validate_connect_bench.py --kedge PATH [--entities 200] [--columns 12] [--runs 5]
Prints the best wall time and the CPU time of each, and their ratio. Bar: less than 3 for 200 entities.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/cases/runner"))
from kt.common import dump_yaml  # noqa: E402
from kt.databases import Databases  # noqa: E402

TYPES = ["bigint", "varchar(40)", "integer", "numeric(12,3)", "boolean", "date", "timestamp", "double precision", "text", "uuid", "jsonb", "timestamptz"]
DUCKDB = ["bigint", "varchar(40)", "integer", "decimal(12,3)", "boolean", "date", "timestamp", "double", "varchar", "uuid", "json", "timestamptz"]


def best(command, environment, runs):
    wall, cpu = [], []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, env=environment, text=True)
        wall.append(time.monotonic() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr[:800]}")
    return min(wall), min(cpu)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--entities", type=int, default=200)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    databases = Databases()
    with tempfile.TemporaryDirectory(prefix="kedge-bench-") as name:
        folder = Path(name)
        server = databases.open("postgres", folder, folder)
        try:
            shapes = [[(f"c{j}", TYPES[(i + j) % 12], DUCKDB[(i + j) % 12]) for j in range(args.columns)] for i in range(args.entities)]
            server.script("\n".join(f"CREATE TABLE t{i} ({', '.join(f'{n} {t}' for n, t, _ in shape)});" for i, shape in enumerate(shapes)))
            half = args.entities // 2   # one half with contracts, the other watched by baselines; every fifth is a target too
            entities = {f"public.t{i}": {"read": {"columns": {n: d for n, _, d in shape}} if i < half else {}} for i, shape in enumerate(shapes)}
            settings = {**server.connection(), "entities": entities}
            (folder / "p/pipelines").mkdir(parents=True)
            (folder / "p/project.yml").write_text("name: bench\nversion: 1.0.0\non_source_drift: warn\n")
            (folder / "p/connections.yml").write_text(dump_yaml({"pg": settings}))
            for i in range(0, half, 5):
                (folder / f"p/pipelines/w{i}.sql").write_text(f"INSERT INTO {{{{ sink('pg', 'public.t{i}', schema_policy: 'evolve') }}}}\n"
                                                              f"SELECT * FROM {{{{ source('pg', 'public.t{i}') }}}}\n")
            environment = {**os.environ, **{k: str(v) for k, v in server.variables().items()}}
            kedge = [os.path.abspath(args.kedge), "-C", str(folder / "p")]
            best([*kedge, "validate", "--connect"], environment, 1)   # the first one remembers what it fetched
            seen = best([*kedge, "inspect", "pg", "--format", "json"], environment, args.runs)
            offline = best([*kedge, "validate"], environment, args.runs)
            connect = best([*kedge, "validate", "--connect"], environment, args.runs)
            print(f"{args.entities} entities of {args.columns} columns, best of {args.runs}")
            for label, (wall, cpu) in (("inspect", seen), ("validate", offline), ("validate --connect", connect)):
                print(f"{label:20} {wall * 1000:8.1f} ms wall {cpu * 1000:8.1f} ms cpu")
            print(f"ratio {connect[0] / seen[0]:.2f} (cpu {connect[1] / seen[1]:.2f})")
        finally:
            server.close()
            databases.stop()


main()
