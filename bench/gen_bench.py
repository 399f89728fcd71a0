#!/usr/bin/env python3
"""`kedge gen` of N entities with every built-in pack: the first run, one with nothing to do, one after a change of one entity.

usage: gen_bench.py --kedge PATH [--entities 1000] [--best 3]
Bar: with nothing to do under 0.3 s at 1,000 entities. Beside it the time in which a plain program reads the same generated files.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measure import best, run  # noqa: E402
from plan_bench import write  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--entities", type=int, default=1000)
    parser.add_argument("--best", type=int, default=3)
    args = parser.parse_args()
    kedge = str(Path(args.kedge).resolve())
    listed = subprocess.run([kedge, "gen", "--list"], capture_output=True, text=True, check=True).stdout
    packs = [line.split()[0] for line in listed.splitlines() if line and not line.startswith(" ")]
    with tempfile.TemporaryDirectory(prefix="kgb") as name:
        folder = Path(name)
        targets = "".join(f"    - {{name: {pack}, pack: {pack}, out: out/{pack}}}\n" for pack in packs)
        (folder / "project.yml").write_text("name: t\nversion: 1.0.0\nmigrate: {target: db, dialect: postgres}\ngen:\n  targets:\n" + targets)
        write(folder, args.entities, 0)
        gen = [kedge, "-C", name, "gen"]
        first = run(gen)
        files = [path for path in (folder / "out").rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        nothing = best(gen, args.best)
        verify = best([kedge, "-C", name, "verify", "--codegen"], args.best)
        begin = time.monotonic()
        for path in files:
            path.read_bytes()
        reading = time.monotonic() - begin
        write(folder, args.entities, args.entities)
        changed = run(gen)
        print(f"{args.entities:,} entities x {len(packs)} packs ({', '.join(packs)}): {len(files):,} files, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}")
        print("run | wall s | CPU s | peak MB")
        for label, row in (("first", first), ("nothing to do", nothing), ("verify --codegen", verify), ("one entity changed", changed)):
            print(f"{label} | {row.wall:.3f} | {row.cpu:.3f} | {row.peak:.0f}")
        print(f"reading the files by a plain program | {reading:.3f}")


if __name__ == "__main__":
    main()
