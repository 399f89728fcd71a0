#!/usr/bin/env python3
"""The Node client on a small project ($KEDGE_BIN is the program), and its types under tsc. Prints `N passed, N failed`.
    run_node.py --node-modules DIR"""
import argparse
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--node-modules", required=True)
options = parser.parse_args()
client = pathlib.Path(__file__).resolve().parent.parent.parent / "clients/node"
USE = """import { Engine, KedgeError, SchemaDriftError, type DeleteEntry } from 'kedge';
const engine = new Engine('.', { env: { A: 'b' } });
const entries: DeleteEntry[] = await engine.validateModels('main', { deep: true });
for (const entry of entries) if (entry.tool === 'edit_model') entry.remove.columns.map(name => name.length);
const left: DeleteEntry[] = (await engine.applyDriftDeletes(entries)).residual;
const rows: Record<string, unknown>[] = (await engine.query({ source_model: 'x' }, { variables: { a: 1 } })).data;
const code: number = (await engine.check({ only: ['models'] })).exit_code;
const failed: KedgeError | SchemaDriftError | null = left.length + rows.length + code > 0 ? null : null;
// @ts-expect-error the name of a data source is a text
await engine.ingest(5);
console.log(failed);
"""


def make_project(folder):
    for name, columns in (("yard.db", "id INTEGER PRIMARY KEY, kg REAL, lot TEXT"), ("drifted.db", "id INTEGER PRIMARY KEY, lot TEXT")):
        connection = sqlite3.connect(folder / name)
        connection.execute(f"CREATE TABLE crates ({columns})")
        connection.commit()
        connection.close()
    connection = sqlite3.connect(folder / "yard.db")
    connection.execute("INSERT INTO crates VALUES (1, 2.5, 'a'), (2, 3.5, 'b')")
    connection.commit()
    connection.close()
    (folder / "connections.yml").write_text("main:\n  connector: sqlite\n  path: ${YARD}\n")


def types(folder):
    modules = folder / "types/node_modules"
    modules.mkdir(parents=True)
    (modules / "kedge").symlink_to(client)
    (folder / "types/use.mts").write_text(USE)
    return subprocess.run(["node", f"{options.node_modules}/typescript/bin/tsc", "--noEmit", "--strict", "--module", "nodenext",
                           "--target", "es2022", "--lib", "es2022,dom", "use.mts"], cwd=folder / "types", capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_project(folder)
        done = subprocess.run(["node", "--test", str(client / "test.mjs")], capture_output=True, text=True,
                              env={**os.environ, "KEDGE_TEST_PROJECT": str(folder)})
        passed = int((re.search(r"^# pass (\d+)", done.stdout, re.M) or [0, 0])[1])
        failed = int((re.search(r"^# fail (\d+)", done.stdout, re.M) or [0, 1])[1])
        if done.returncode != 0:
            print("FAIL", done.stdout[-3000:], done.stderr[-2000:])
        checked = types(folder)
        if checked.returncode != 0:
            print("FAIL types", checked.stdout, checked.stderr)
    passed += checked.returncode == 0
    failed += checked.returncode != 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
