#!/usr/bin/env python3
"""`cmake --install` into a fresh prefix, examples/library built against it with find_package(kedge), and run on a healthy
and on a drifted project. Prints `N passed, N failed`.   run_library.py --build DIR --cmake PATH"""
import argparse
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--build", required=True)
parser.add_argument("--cmake", default="cmake")
options = parser.parse_args()
root = pathlib.Path(__file__).resolve().parent.parent.parent
passed = failed = 0


def check(name, done, code=0, needle=""):
    global passed, failed
    if done.returncode == code and needle in done.stdout:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {done.returncode}\n{(done.stdout + done.stderr)[-1500:]}")


def run(*command, cwd=None):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, timeout=300)


def main():
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        prefix = base / "prefix"
        check("install", run(options.cmake, "--install", options.build, "--prefix", prefix))
        shutil.copytree(root / "examples/library", base / "example")
        check("configure", run(options.cmake, "-S", base / "example", "-B", base / "build", f"-DCMAKE_PREFIX_PATH={prefix}"))
        check("build", run(options.cmake, "--build", base / "build"))
        project = base / "harbour"
        shutil.copytree(root / "examples/harbour", project)
        (project / "data").mkdir()
        kedge = prefix / "bin/kedge"
        check("the installed program makes the database", run(kedge, "-C", project, "migrate", "--apply", "--db", "harbour", "--slug", "first"))
        check("and finds DuckDB beside it", run(kedge, "-C", project, "run", "--all"))
        check("the example finds nothing", run(base / "build/kedge-example", project))
        with sqlite3.connect(project / "data/harbour.sqlite") as connection:
            connection.executescript("DROP VIEW v_berth_load; ALTER TABLE vessels DROP COLUMN draught_m;")
        connection.close()
        check("the example names the drifted models", run(base / "build/kedge-example", project), 1, "moorings\nvessels")
        check("the example says what it wants", run(base / "build/kedge-example"), 2)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
