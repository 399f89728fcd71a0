#!/usr/bin/env python3
"""The services of examples/services on a copy: they start, and refuse to start after a change by hand. Also the one
that loads its metadata folder through kedge's core library.
    run_services.py --kedge PATH --metadata-service PATH --node-modules DIR    prints `N passed, N failed`"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--metadata-service", required=True)
parser.add_argument("--node-modules", required=True)
options = parser.parse_args()
passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:4000])


def run(command, folder, **more):
    return subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, **more)


def check_run(folder):
    services = folder / "examples/services"
    (services / "node_modules").symlink_to(pathlib.Path(options.node_modules).resolve())
    tsc = folder / "tsc"
    tsc.write_text(f'#!/bin/sh\nexec node "{services}/node_modules/typescript/bin/tsc" "$@"\n')
    tsc.chmod(0o755)
    environment = {**os.environ, "KEDGE": str(pathlib.Path(options.kedge).resolve()), "TSC": str(tsc)}
    done = run(["bash", "run"], services, env=environment)
    text = done.stdout + done.stderr
    judge("the script ends well", done.returncode == 0, text)
    judge("every service started and served", done.stdout.count("started\nKDG1 Anchor\nKDG3 Bulwark\n") == 3, text)
    judge("every service was stopped, naming table and column",
          done.stdout.count("column vessels.draught_m is not in the database") == 3 and "3 services refused to start" in done.stdout, text)
    again = run(["bash", "run"], services, env=environment)
    judge("it can be run again", again.returncode == 0, again.stdout + again.stderr)


def check_metadata_folder(folder):
    services, service = folder / "examples/services", [options.metadata_service, "."]
    done = run(service, services)
    judge("starts over its own metadata folder", done.returncode == 0 and done.stdout == "started\n", done.stdout + done.stderr)
    metadata = folder / "examples/harbour/metadata/harbour.yml"
    good = metadata.read_text()
    metadata.write_text(good.replace("name: draughtM, precision", "name: draughtInMetres, precision"))
    done = run(service, services)
    judge("a changed field stops it, naming object and column", done.returncode == 1 and "harbour::Vessel" in done.stderr
          and "draught_m" in done.stderr and "draught_in_metres" in done.stderr and "started" not in done.stdout, done.stderr)
    metadata.write_text("package: [\n")
    done = run(service, services)
    judge("metadata that does not load is no pass", done.returncode == 1 and "ERR_STARTUP_MODEL" in done.stderr, done.stderr)
    metadata.write_text(good)
    for mode, started in (("warn", True), ("off", True), ("enforce", False)):
        metadata.write_text(good.replace("draughtM, precision: 5", "draughtX, precision: 5"))
        done = run(service, services, env={**os.environ, "KEDGE_STARTUP_CHECK": mode})
        judge(f"KEDGE_STARTUP_CHECK={mode}", ("started" in done.stdout) == started and ("draught_m" in done.stderr) == (mode != "off"), done.stderr)
    metadata.write_text(good)


with tempfile.TemporaryDirectory() as temporary:
    copy = pathlib.Path(temporary)
    for part in ("examples", "runtime"):
        shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("gen", "out", "build", ".kedge", "codegen", "migrations"))
    check_run(copy)
    check_metadata_folder(copy)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or passed == 0 else 0)
