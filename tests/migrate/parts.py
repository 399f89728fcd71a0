"""Runs the parts of a suite one after another over one set of databases, and counts."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.databases import Databases  # noqa: E402


def run_parts(parts, args, opened):
    """`opened(databases)` gives what each part is called with; its close() ends it. The exit code: 1 where a part fails or none ran."""
    databases = Databases(str(Path(args.duckdb_lib).resolve()) if args.duckdb_lib else None)
    passed = failed = 0
    ground = None
    try:
        ground = opened(databases)
        for part in parts:
            try:
                part(ground)
                passed += 1
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAIL {part.__name__} [{args.dialect}]: {str(error)[:3000]}")
            sys.stdout.flush()
    finally:
        if ground:
            ground.close()
        databases.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
