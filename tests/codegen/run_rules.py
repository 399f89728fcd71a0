#!/usr/bin/env python3
"""Each rule of generating code and docs on a project of its own.
    run_rules.py --kedge PATH [--only PART]    prints `N passed, N failed`"""
import argparse
import concurrent.futures
import pathlib
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gen_rules  # noqa: E402
import pack_rules  # noqa: E402,F401
import template_rules  # noqa: E402,F401
import verify_rules  # noqa: E402,F401
from project import Project  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--only", default="")
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())


def run(named):
    name, function, more = named
    with tempfile.TemporaryDirectory() as folder:
        try:
            function(Project(kedge, pathlib.Path(folder) / "p", **more))
            return name, ""
        except Exception:
            return name, "".join(traceback.format_exc().splitlines(keepends=True)[-4:])[-2500:]


wanted = [each for each in gen_rules.RULES if options.only in each[0]]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(run, wanted))
failed = [(name, why) for name, why in results if why]
for name, why in failed:
    print(f"FAIL {name}\n{why}")
print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
sys.exit(1 if failed or not results else 0)
