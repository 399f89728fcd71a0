#!/usr/bin/env python3
"""Rules of the metadata language as data: what `kedge validate` says of a declaration, and where.

usage: run_rules.py --kedge PATH [--cases FOLDER] [--only NAME]
Each file of cases/ holds `bases:` (name -> text) and `cases:`, a list of
  name      unique over all files
  dialects  what migrate.dialect is, one run each; default postgres
  settings  keys below metadata: of project.yml
  base      a text of bases; the file's first one unless given; "" for none
  edit      old -> new, each applied once to the base; a text of the base that is not there is a mistake of the case
  add       lines after the base. Together they are metadata/a.yml
  files     more files: name below metadata/ -> text
  expect    the findings, each "CODE", "CODE@LINE", "CODE@+LINE" (a line of `add`, 1 is its first) or "CODE@FILE:LINE";
            exactly these, [] when it is clean. Warnings that every small example brings count only where a case names
            them (QUIET).
  mentions  words that the findings hold together
Last line: N passed, N failed.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

QUIET = {"WARN_FK_NOT_INDEXED", "WARN_ENTITY_WITHOUT_PRIMARY"}
KEYS = {"name", "dialects", "settings", "base", "edit", "add", "files", "expect", "mentions"}


def prepared(case, bases):
    """The case with its texts put together and its lines counted from the top of the file."""
    text = bases[case.get("base", next(iter(document_order(bases))))]
    for old, new in case.get("edit", {}).items():
        assert old in text, f"{case['name']}: '{old}' is not in the base"
        text = text.replace(old, new, 1)
    above = text.count("\n")
    texts = {**case.get("files", {})}
    if text or case.get("add"):
        texts["a.yml"] = text + case.get("add", "")
    lines = [re.sub(r"@\+(\d+)$", lambda m: f"@{above + int(m.group(1))}", one) for one in case["expect"]]
    return {**case, "texts": texts, "expect": lines}


def document_order(bases):
    return [name for name in bases if name] or [""]


def load_cases(folder):
    cases, names = [], set()
    for path in sorted(folder.glob("*.yml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        bases = {"": "", **document.get("bases", {})}
        for case in document["cases"]:
            unknown = set(case) - KEYS
            assert not unknown, f"{path.name}: {case.get('name')}: unknown keys {sorted(unknown)}"
            assert case["name"] not in names, f"{path.name}: two cases are called {case['name']}"
            names.add(case["name"])
            cases.append(prepared(case, bases))
    return cases


def fits(wanted, found):
    code, _, place = wanted.partition("@")
    if code != found["code"]:
        return False
    if not place:
        return bool(found.get("file")) or code == "ERR_NO_METADATA"
    name, _, line = place.rpartition(":")
    return str(found.get("line")) == line and (not name or found["file"].endswith("/" + name))


def run(kedge, case, dialect):
    folder = Path(tempfile.mkdtemp(prefix="kr"))
    try:
        project = {"name": "t", "version": "1.0.0", "migrate": {"dialect": dialect}}
        if case.get("settings"):
            project["metadata"] = case["settings"]
        (folder / "project.yml").write_text(json.dumps(project), encoding="utf-8")
        for name, text in case["texts"].items():
            path = folder / "metadata" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([kedge, "-C", str(folder), "validate", "--format", "json"], capture_output=True, text=True, timeout=60)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            return f"exit {done.returncode}, no JSON: {done.stdout[:300]}{done.stderr[:600]}"
        named = {one.partition("@")[0] for one in case["expect"]}
        errors = document["errors"]
        found = errors + [w for w in document["warnings"] if w["code"] in named or w["code"] not in QUIET]
        shown = "; ".join(f"{f['code']}@{f.get('file')}:{f.get('line')}: {f['message']}" for f in found) or "nothing"
        if len(found) != len(case["expect"]):
            return f"expected {case['expect']}, found {shown}"
        for wanted in case["expect"]:
            if not any(fits(wanted, one) for one in found):
                return f"no {wanted} in: {shown}"
        if done.returncode != (2 if errors else 0) or document["exit"] != done.returncode:
            return f"exit {done.returncode} with {len(errors)} errors"
        text = json.dumps(found, ensure_ascii=False)
        for word in case.get("mentions", []):
            if word not in text:
                return f"'{word}' is not said: {text}"
        return None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--cases", default=str(Path(__file__).resolve().parent / "cases"))
    parser.add_argument("--only")
    args = parser.parse_args()
    passed = failed = 0
    for case in load_cases(Path(args.cases)):
        if args.only and args.only not in case["name"]:
            continue
        for dialect in case.get("dialects", ["postgres"]):
            problem = run(str(Path(args.kedge).resolve()), case, dialect)
            if problem:
                failed += 1
                print(f"FAIL {case['name']} [{dialect}]: {problem}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
