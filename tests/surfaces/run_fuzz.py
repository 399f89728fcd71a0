#!/usr/bin/env python3
"""Fuzzes `kedge serve` by its own OpenAPI document with schemathesis, on the harbour example: no 5xx, only the statuses,
types and bodies that the document names, bad requests refused (400) and good ones taken. 422 is an answer to a good request: the
project or its database does not let it be done. Prints `N passed, N failed`.
    run_fuzz.py --kedge PATH --schemathesis PATH [--examples N] [--seed N]"""
import argparse
import json
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--schemathesis", required=True)
parser.add_argument("--examples", type=int, default=12)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
schemathesis = str(pathlib.Path(options.schemathesis).absolute())  # not resolved: its folder says where its packages are
root = pathlib.Path(__file__).resolve().parent.parent.parent


def fuzz(url, folder):
    with urllib.request.urlopen(url + "openapi.json") as answer:
        operations = sum(len(item) for item in json.load(answer)["paths"].values())
    config = pathlib.Path(folder) / "schemathesis.toml"
    config.write_text("[checks.positive_data_acceptance]\n"
                      'expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "422", "429", "5xx"]\n')
    done = subprocess.run([schemathesis, "--config-file", str(config), "run", url + "openapi.json", "--seed", str(options.seed), "--max-examples",
                           str(options.examples), "--phases", "examples,coverage,fuzzing", "--request-timeout", "60", "--no-color"],
                          capture_output=True, text=True, cwd=folder)
    return done, operations


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "harbour"
        shutil.copytree(root / "examples/harbour", folder)
        (folder / "data").mkdir()
        for arguments in (["migrate", "--apply", "--db", "harbour", "--slug", "first"], ["gen"], ["run", "--all"]):
            subprocess.run([kedge, "-C", str(folder), *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sqlite3.connect(folder / "data/harbour.sqlite").execute("ALTER TABLE vessels ADD COLUMN mast_m REAL").connection.close()
        log = open(folder / "serve.err", "w+", encoding="utf-8")
        server = subprocess.Popen([kedge, "-C", str(folder), "serve", "--port", "0"], stderr=log)
        while not (folder / "serve.err").read_text().endswith("/\n"):
            if server.poll() is not None:
                raise SystemExit("kedge serve does not start")
        try:
            done, operations = fuzz((folder / "serve.err").read_text().split()[-1], name)
        finally:
            alive = server.poll() is None
            server.send_signal(signal.SIGTERM)
            exit_code = server.wait(timeout=60)
    if done.returncode != 0 or not alive or exit_code != 0:
        print(done.stdout[-20000:] + done.stderr[-2000:])
        print(f"server alive: {alive}, its exit code: {exit_code}")
    cases = re.search(r"(\d+) generated(?:, (\d+) found)?", done.stdout)
    generated, found = (int(cases.group(1)), int(cases.group(2) or 0)) if cases else (0, 1)
    print(f"FAIL-free cases: {generated - found} over {operations} operations")
    failed = found or int(done.returncode != 0 or not alive or exit_code != 0)
    print(f"{max(generated - found, 0)} passed, {failed} failed")
    return 1 if failed or not generated else 0


sys.exit(main())
