#!/usr/bin/env python3
"""`kedge diff` of two equal PostgreSQL databases as a user runs it, beside a plain libpq client that fetches one side's catalog rows.

usage: diff_command_bench.py --kedge PATH --bench FOLDER [--sizes 1000,5000,10000] [--best 3]
FOLDER holds introspect_bench and schema_generator. Printed for each size: catalog statements and ratio of introspection to the
raw client, the whole command and its ratio to one raw fetch, its peak memory. Then SQLite with 1,000 tables against itself.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "cases" / "runner"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from kt.databases import Databases  # noqa: E402
from measure import best  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--sizes", default="1000,5000,10000")
    parser.add_argument("--best", type=int, default=3)
    args = parser.parse_args()
    kedge = str(Path(args.kedge).resolve())
    generator, introspect = (str(Path(args.bench).resolve() / name) for name in ("schema_generator", "introspect_bench"))
    dbs = Databases()
    try:
        server = dbs.server("postgres")
        print("tables | statements | introspection s | raw fetch s | ratio | kedge diff s | diff / raw fetch | peak MB | load")
        for size in [int(word) for word in args.sizes.split(",")]:
            script = subprocess.run([generator, "postgres", str(size)], capture_output=True, text=True, check=True).stdout
            urls = []
            with tempfile.TemporaryDirectory(prefix="kdb") as name:
                for side in ("a", "b"):
                    db = dbs.open("postgres", Path(name) / side, Path(name))
                    db.script(script)
                    db.script("VACUUM ANALYZE;")
                    urls.append(f"postgres://{db.connection()['user']}@/{db.name}?host={server.host}&port={server.port}")
                found = subprocess.run([introspect, urls[0], str(args.best)], capture_output=True, text=True, check=True).stdout
                statements, own, raw, ratio = re.search(r"statements (\d+)  introspection ([\d.]+) s.*client ([\d.]+) s.*ratio ([\d.]+)", found, re.S).groups()
                whole = best([kedge, "diff", *urls], args.best)
                print(f"{size:,} | {statements} | {own} | {raw} | {ratio} | {whole.wall:.3f} | {whole.wall / float(raw):.2f} | {whole.peak:.0f} | {os.getloadavg()[0]:.1f}", flush=True)
        with tempfile.TemporaryDirectory(prefix="kdb") as name:
            script = subprocess.run([generator, "sqlite", "1000"], capture_output=True, text=True, check=True).stdout
            for side in ("a", "b"):
                subprocess.run(["sqlite3", f"{name}/{side}.db"], input=script, text=True, check=True)
            alone = subprocess.run([introspect, f"sqlite:{name}/a.db", str(args.best)], capture_output=True, text=True, check=True).stdout.strip()
            whole = best([kedge, "diff", f"sqlite:{name}/a.db", f"sqlite:{name}/b.db"], args.best)
            print(f"sqlite: {alone}; kedge diff of two {whole.wall:.3f} s, peak {whole.peak:.0f} MB")
    finally:
        dbs.stop()


if __name__ == "__main__":
    main()
