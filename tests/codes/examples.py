"""Examples of codes that are run: a small project, a command, and what the program says. tools/check_reference puts them on the pages
of the codes. An example is an entry of tests/codes/*.yml:
  code, why     the code, and one sentence
  base          a text of `bases:`: sql, files and setup that the page does not show
  sql           database file -> statements, run with sqlite3
  files         path -> text;  model: the text of models/main/crates.yml
  setup         commands before, shown
  run           the command whose output is shown; or serve: {method, path, body}, asked of `kedge serve` (with KEDGE_TOKEN = token)
or a case of tests/metadata/cases (see tests/metadata/run_rules.py), as a mapping of the same form."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import yaml

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
LANGUAGES = {".yml": "yaml", ".yaml": "yaml", ".json": "json", ".sql": "sql", ".csv": "csv"}


def written():
    """code -> example, of tests/codes/*.yml."""
    found = {}
    for path in sorted((TOP / "tests/codes").glob("*.yml")):
        document = yaml.safe_load(path.read_text())
        for example in document["examples"]:
            if example["code"] in found:
                sys.exit(f"{path.name}: two examples of {example['code']}")
            if "model" in example:
                example["files"] = {"models/main/crates.yml": example.pop("model"), **example.get("files", {})}
            found[example["code"]] = {**example, "given": document["bases"].get(example.get("base"), {})}
    return found


def of_metadata(path, name):
    """The case `name` of a file of tests/metadata/cases."""
    sys.path.insert(0, str(TOP / "tests/metadata"))
    from run_rules import prepared  # noqa: PLC0415
    document = yaml.safe_load((TOP / path).read_text())
    case = next((case for case in document["cases"] if case["name"] == name), None)
    if case is None:
        return None
    case = prepared(case, {"": "", **document.get("bases", {})})
    project = {"name": "harbour", "version": "1", "migrate": {"dialect": case.get("dialects", ["postgres"])[0]}}
    if case.get("settings"):
        project["metadata"] = case["settings"]
    files = {"project.yml": yaml.safe_dump(project, sort_keys=False)}
    files.update({f"metadata/{file}": text for file, text in case["texts"].items()})
    if not case.get("settings") and "dialects" not in case:
        return {"given": {"files": {"project.yml": files.pop("project.yml")}}, "files": files, "run": "kedge validate"}
    return {"given": {}, "files": files, "run": "kedge validate"}


def lay(folder, part):
    for name, text in part.get("sql", {}).items():
        connection = sqlite3.connect(folder / name)
        connection.executescript(text)
        connection.close()
    for name, text in part.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def ask(kedge, folder, environment, request):
    """One request to `kedge serve`: the answer's status line and body."""
    server = subprocess.Popen([kedge, "serve", "--port", "0"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        url = server.stderr.readline().split()[-1].rstrip("/")
        body = request["body"].encode() if "body" in request else None
        asked = urllib.request.Request(url + request["path"], data=body, method=request["method"])
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)


def output_of(kedge, example):
    with tempfile.TemporaryDirectory(prefix="kedge-code-") as base:
        base = pathlib.Path(base)
        folder, programs = base / "project", base / "programs"
        folder.mkdir()
        programs.mkdir()
        (programs / "kedge").symlink_to(pathlib.Path(kedge).resolve())
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(base), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        if "token" in example:
            environment["KEDGE_TOKEN"] = example["token"]
        lay(folder, example["given"])

        def shell(line):
            return subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in example["given"].get("setup", []):
            shell(line)
        lay(folder, example)
        for line in example.get("setup", []):
            shell(line)
        text = ask(kedge, folder, environment, example["serve"]) if "serve" in example else shell(example["run"]).stdout
        text = text.replace(str(folder) + "/", "").replace(str(folder), "harbour").replace(str(base) + "/", "")
        text = re.sub(r"\b20\d{12}-", "20270301101500-", text)
        text = re.sub(r"\b20\d{6}T\d{9}Z-[0-9a-f]{4}", "20270301T101500000Z-2b1e", text)
        return re.sub(r"[ \t]+$", "", re.sub(r"run_\w+|[0-9a-f]{12,}", lambda m: m.group(0) if m.group(0).isdigit() else "0123abcd", text), flags=re.M)


def page_of(example, text):
    """What stands on the page below `## Example`."""
    lines = ["\n## Example\n"]
    if example.get("why"):
        lines.append(" ".join(example["why"].split()) + "\n")
    for name, body in example.get("files", {}).items():
        lines.append(f"`{name}`:\n\n```{LANGUAGES.get(pathlib.Path(name).suffix, '')}\n{body.rstrip()}\n```\n")
    for body in example.get("sql", {}).values():
        lines.append(f"```sql\n{body.rstrip()}\n```\n")
    if "serve" in example:
        request = example["serve"]
        data = f" -d '{request['body']}'" if "body" in request else ""
        commands = [f"curl{data} http://127.0.0.1:8750{request['path']}"]
    else:
        commands = [*example.get("setup", []), example["run"]]
    shown = "".join(f"$ {line.rstrip()}\n" for line in commands)
    return "\n".join(lines) + f"\n```\n{shown}{text.rstrip()}\n```\n"


def pages(kedge, examples):
    """code -> text below the page, or a complaint, of those that do not show their code."""
    def one(item):
        code, example = item
        text = output_of(kedge, example)
        return code, page_of(example, text), re.search(rf"(?<!\w){re.escape(code)}(?!\w)", text) is not None, text
    made, wrong = {}, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for code, page, shows, text in pool.map(one, examples.items()):
            made[code] = page
            if not shows:
                wrong.append(f"{code}: the example does not show it: {' '.join(text.split())[:300]}")
    return made, wrong
