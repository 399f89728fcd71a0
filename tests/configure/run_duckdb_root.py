#!/usr/bin/env python3
"""Configures the project with -DDuckDB_ROOT: a folder laid out as an official release (library and header side by side), one with
lib/ and include/, and one without the library, which is refused with a word about what to do.
    run_duckdb_root.py --cmake C --source S --generator G --header duckdb.h --library libduckdb.so"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f"FAIL {name}: {detail}"[-900:])


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "source", "generator", "header", "library"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="kedge-configure-") as name:
        base = pathlib.Path(name)

        def configure(root):
            done = subprocess.run([options.cmake, "-S", options.source, "-B", str(base / f"build-{root.name}"), "-G", options.generator,
                                   f"-DDuckDB_ROOT={root}", "-DKEDGE_TESTS=OFF"], capture_output=True, text=True, timeout=200)
            cache = base / f"build-{root.name}/CMakeCache.txt"
            lines = cache.read_text().splitlines() if cache.is_file() else []
            return done, {line.split(":")[0]: line.split("=", 1)[1] for line in lines if line.startswith("KEDGE_DUCKDB_") and "=" in line}

        flat, deep, empty = base / "flat", base / "deep", base / "empty"
        for folder in (flat, deep / "lib", deep / "include", empty):
            folder.mkdir(parents=True)
        os.symlink(options.header, flat / "duckdb.h")
        os.symlink(options.library, flat / "libduckdb.so")
        os.symlink(options.header, deep / "include/duckdb.h")
        os.symlink(options.library, deep / "lib/libduckdb.so")
        os.symlink(options.header, empty / "duckdb.h")
        for root, header, library in ((flat, flat, flat / "libduckdb.so"), (deep, deep / "include", deep / "lib/libduckdb.so")):
            done, found = configure(root)
            judge(f"{root.name}: configured", done.returncode == 0, done.stdout + done.stderr)
            judge(f"{root.name}: that folder's", found.get("KEDGE_DUCKDB_INCLUDE") == str(header) and
                  found.get("KEDGE_DUCKDB_LIBRARY") == str(library), found)
        done, _ = configure(empty)
        judge("empty: refused", done.returncode != 0 and "DuckDB not found in" in done.stderr and "DuckDB_ROOT" in done.stderr, done.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
