#!/usr/bin/env python3
"""The page of `kedge serve` and the HTML report in a real browser (page.mjs), on the harbour example after drift.
Prints `N passed, N failed`.   run_page.py --kedge PATH --node-modules DIR [--shots DIR]"""
import argparse
import json
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--node-modules", required=True)
parser.add_argument("--shots", help="keep the screenshots here")
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent


def run(folder, *arguments, expect=0):
    done = subprocess.run([kedge, "-C", str(folder), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != expect:
        raise SystemExit(f"kedge {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_project(folder):
    shutil.copytree(root / "examples/harbour", folder, dirs_exist_ok=True)
    (folder / "data").mkdir()
    settings = folder / "connections.yml"
    settings.write_text(settings.read_text() + "\n# Watched without a contract: a baseline is kept.\nsouth:\n  connector: sqlite\n  path: data/south.sqlite\n"
                        "  entities:\n    tides: { read: {} }\n")
    south = sqlite3.connect(folder / "data/south.sqlite")
    south.executescript("CREATE TABLE tides (at TEXT, height_m REAL); INSERT INTO tides VALUES ('2026-01-01', 1.2);")
    south.close()
    (folder / "pipelines/tides.sql").write_text(
        "INSERT INTO {{ sink('pilots', 'tides.csv', strategy: 'replace', format: 'csv') }}\nSELECT * FROM {{ source('south', 'tides') }}\n")
    run(folder, "migrate", "--apply", "--db", "harbour", "--slug", "first")
    run(folder, "gen")
    run(folder, "run", "--all")
    south = sqlite3.connect(folder / "data/south.sqlite")
    south.executescript("ALTER TABLE tides ADD COLUMN gauge TEXT;")
    south.close()
    run(folder, "run", "--all")
    database = sqlite3.connect(folder / "data/harbour.sqlite")
    database.executescript("DROP VIEW v_berth_load; ALTER TABLE vessels DROP COLUMN draught_m; ALTER TABLE moorings DROP COLUMN fee; ALTER TABLE moorings ADD COLUMN fee TEXT;"
                           "ALTER TABLE vessels ADD COLUMN mast_m REAL;")
    database.close()


def main():
    browser = next((shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
    if browser is None:
        print("FAIL there is no Chromium: scripts/setup --test installs it")
        print("0 passed, 1 failed")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "harbour"
        shots = pathlib.Path(options.shots or pathlib.Path(name) / "shots")
        shots.mkdir(parents=True, exist_ok=True)
        make_project(folder)
        report = pathlib.Path(name) / "report.html"
        report.write_text(run(folder, "check", "--format", "html", expect=1))
        server = subprocess.Popen([kedge, "-C", str(folder), "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
        url = server.stderr.readline().split()[-1]
        done = subprocess.run(["node", str(here / "page.mjs"), options.node_modules, browser, url, str(report), str(shots)],
                              capture_output=True, text=True, timeout=280)
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
    if done.returncode != 0:
        print(f"FAIL page.mjs: {done.stderr[-2000:]}")
        print("0 passed, 1 failed")
        return 1
    results = json.loads(done.stdout)
    for check, result in results.items():
        if result is not True:
            print(f"FAIL {check}: {result}"[:800])
    bad = sum(result is not True for result in results.values())
    print(f"{len(results) - bad} passed, {bad} failed")
    return 1 if bad or not results else 0


sys.exit(main())
