#!/usr/bin/env python3
"""The guide is true: its quick start runs as it stands, every command and flag in it exists, every YAML sample is valid
against the schema of its file, the CI snippets are what those systems take. Prints `N passed, N failed`.
    run_docs.py --kedge PATH"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

import jsonschema
import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
kedge = str(pathlib.Path(parser.parse_args().kedge).resolve())
root = pathlib.Path(__file__).resolve().parent.parent.parent
guide = root / "docs/guide"
passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:900])


def fences(text, language=None):
    return [body for kind, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S) if language is None or kind == language]


def commands_of(text):
    """Lines of indented and of unmarked fenced blocks."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines = [line[4:] for line in outside.splitlines() if line.startswith("    ") and not line.startswith("     ")]
    for block in fences(text, "") + fences(text, "sh"):
        lines += block.splitlines()
    return lines


# --- the quick start, command by command

CODES = {"kedge impact": 1}  # it says that something breaks


def run_quick_start(folder):
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "kedge").symlink_to(kedge)
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder)}
    place = folder / "harbour"
    cwd = root
    for line in commands_of((guide / "README.md").read_text()):
        if line.startswith(("scripts/build", "export PATH")):
            continue  # how the program came here
        line = line.replace("/tmp/harbour", str(place))
        if line.startswith("kedge serve"):
            serve(line + " --port 0", cwd, environment)
            continue
        done = subprocess.run(["bash", "-c", line], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
        wanted = next((code for start, code in CODES.items() if line.startswith(start)), 0)
        if "<" not in line and "..." not in line:
            check(f"quick start: {line}", done.returncode == wanted, done.stdout + done.stderr)
        if place.exists():
            cwd = place
    check("quick start: the last guard finds nothing",
          subprocess.run([kedge, "-C", str(place), "check"], capture_output=True).returncode == 0)


def serve(line, cwd, environment):
    with subprocess.Popen(shlex.split(line), cwd=cwd, env=environment, stderr=subprocess.PIPE, text=True) as server:
        url = server.stderr.readline().split()[-1]
        for path in ("", "openapi.json", "page/data"):
            with urllib.request.urlopen(url + path, timeout=60) as answer:
                check(f"quick start: serve answers /{path}", answer.status == 200)
        server.send_signal(signal.SIGTERM)
        check("quick start: serve ends", server.wait(timeout=30) == 0)


# --- every command that any page names

def help_of(words, known):
    if tuple(words) not in known:
        done = subprocess.run([kedge, *words, "--help"], capture_output=True, text=True, timeout=30)
        known[tuple(words)] = done.stdout if done.returncode == 0 else None
    return known[tuple(words)]


def command_words(tokens, names):
    for length in (3, 2, 1):
        if " ".join(tokens[:length]) in names:
            return tokens[:length]
    return None


def check_mentions(names):
    known = {}
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted(guide.rglob("*.md"))]
    for page in pages:
        text = page.read_text()
        texts = [line for line in commands_of(text)] + [line for block in fences(text, "yaml") for line in block.splitlines()]
        texts += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        for line in texts:
            for mention in re.findall(r"(?:^|[\s;|(])(?:\$ )?kedge ((?:[a-z][a-z-]*)(?: [^#;>\n]*)?)", " " + line):
                judge_mention(page.relative_to(root), mention, names, known)


def judge_mention(page, mention, names, known):
    tokens = re.sub(r"'[^']*'", "TEXT", mention).replace("[", " ").replace("]", " ").split()
    words = command_words(tokens, names)
    if words is None:
        if tokens[0] in {name.split()[0] for name in names} or len(tokens) == 1 and not tokens[0].isalpha():
            check(f"{page}: kedge {mention}", False, "no such command")
        return
    text = help_of(words, known)
    flags = re.findall(r"--[a-z][a-z0-9-]*", " ".join(tokens))
    missing = [flag for flag in flags if text is None or not re.search(re.escape(flag) + r"(?![a-z0-9-])", text)]
    check(f"{page}: kedge {mention}", text is not None and not missing, f"not flags of {' '.join(words)}: {missing}")


# --- samples

def check_samples(folder):
    subprocess.run([kedge, "schema-files", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    schemas = {path.name.split(".")[0]: json.loads(path.read_text()) for path in folder.glob("*.schema.json")}
    kinds = [(r"^# (metadata/\S+|fleet)", "metadata"), (r"^# connections\.yml", "connections"), (r"^gen:", "project"),
             (r"^name: \w+\nsql_table:", "model")]
    for page in sorted(guide.rglob("*.md")):
        for block in fences(page.read_text(), "yaml"):
            kind = next((kind for pattern, kind in kinds if re.search(pattern, block, re.M)), None)
            try:
                document = yaml.safe_load(block)
            except yaml.YAMLError as error:
                check(f"{page.name}: YAML", False, error)
                continue
            check(f"{page.name}: YAML", True)
            if kind:
                errors = [error.message for error in jsonschema.Draft202012Validator(schemas[kind]).iter_errors(document)]
                check(f"{page.name}: {kind}", not errors, errors)


def check_ci():
    blocks = [yaml.safe_load(block) for block in fences((guide / "ci.md").read_text(), "yaml")]
    github = next(block for block in blocks if isinstance(block, dict) and "jobs" in block)
    check("GitHub: events", True in github or "on" in github)  # YAML 1.1 reads the key `on` as true
    for job in github["jobs"].values():
        check("GitHub: a runner and steps", job["runs-on"] and all(("uses" in step) != ("run" in step) for step in job["steps"]))
    gitlab = next(block for block in blocks if isinstance(block, dict) and "kedge" in block)
    check("GitLab: a script and its report", gitlab["kedge"]["script"] and "junit" in gitlab["kedge"]["artifacts"]["reports"])
    hooks = next(block for block in blocks if isinstance(block, dict) and "repos" in block)
    hook = hooks["repos"][0]["hooks"][0]
    check("pre-commit: what a local hook needs", {"id", "name", "entry", "language"} <= set(hook), hook)
    return hook["entry"]


def check_hook(entry, folder):
    """The hook's guards need no database: the example as it is cloned passes."""
    shutil.copytree(root / "examples/harbour", folder, dirs_exist_ok=True)
    words = shlex.split(entry)
    done = subprocess.run([kedge, "-C", str(folder), *words[1:]], capture_output=True, text=True, timeout=60)
    check("pre-commit: the hook's command opens no database", done.returncode in (0, 1) and "ERR_CONNECT" not in done.stdout + done.stderr,
          done.stdout + done.stderr)


def main():
    listing = subprocess.run([kedge, "reference", "--help"], capture_output=True, text=True)
    check("kedge reference", listing.returncode == 0)
    explained = subprocess.run([kedge, "explain", "unknown_type"], capture_output=True, text=True).stdout
    check("kedge explain shows the example of the page", explained.rstrip().endswith(
        (root / "docs/reference/codes/unknown_type.md").read_text().split("## Example\n", 1)[1].strip()), explained)
    names = {path.stem.replace("-", " ") for path in (root / "docs/reference/commands").glob("*.md")} | {
        line.split("|")[1].split("[")[1].split("]")[0] for line in (root / "docs/reference/commands/README.md").read_text().splitlines()
        if line.startswith("| [")}
    with tempfile.TemporaryDirectory() as name:
        run_quick_start(pathlib.Path(name))
    check_mentions(names)
    with tempfile.TemporaryDirectory() as name:
        check_samples(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        check_hook(check_ci(), pathlib.Path(name))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
