#!/usr/bin/env python3
"""`kedge check` on a healthy project and on copies with exactly one drift each, then with many at once: the
findings, the exit code, every output format, and the same findings through the command line, REST and MCP.
    run_check.py --kedge PATH [--only TEXT] [--show]    prints `N passed, N failed`"""
import argparse
import concurrent.futures
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
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from documents import document_faults, junit_faults, sarif_faults  # noqa: E402
from kinds import KINDS, TOGETHER  # noqa: E402
from project import edit, kedge_run, make_healthy  # noqa: E402
from since import judge_since  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--only", default="", help="only kinds whose name holds this")
parser.add_argument("--show", action="store_true", help="print what was found")
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:1500])


def keys_of(document):
    """`guard code subject`, without the dates in the names of migrations."""
    keys = []
    for item in document["findings"]:
        subject = item.get("subject", {})
        name = ".".join(part for part in (subject.get("container", ""), subject.get("name", "")) if part)
        keys.append(re.sub(r"\d{14}-", "", f"{item['guard']} {item['code']} {name}"))
    return sorted(keys + [f"{guard} {item['code']} !" for item in document["errors"] for guard in [item["guard"], *item.get("also", [])]])


def run_kind(healthy, folder, kind):
    name, act, expected, exit_code = kind
    shutil.copytree(healthy, folder)
    act(folder)
    done = kedge_run(kedge, folder, "check", "--format", "json")
    shutil.rmtree(folder)
    return name, expected, exit_code, done


def judge_kinds(base, healthy):
    kinds = [kind for kind in KINDS if options.only in kind[0]]
    judge("at least 25 kinds", options.only or len(kinds) >= 25)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda pair: run_kind(healthy, base / f"kind{pair[0]}", pair[1]), enumerate(kinds))
        for name, expected, exit_code, done in results:
            try:
                found = keys_of(json.loads(done.stdout))
            except ValueError:
                judge(name, False, f"no JSON document: {done.stdout[:300]} {done.stderr[:300]}")
                continue
            if options.show:
                print(f"{name} [{done.returncode}]\n    " + "\n    ".join(found))
            judge(f"{name}: fits its published schema", not document_faults("check", done.stdout),
                  document_faults("check", done.stdout)[:3])
            judge(name, found == sorted(expected), f"\n  found    {found}\n  expected {sorted(expected)}")
            judge(f"{name}: exit code", done.returncode == exit_code, f"{done.returncode} instead of {exit_code}")


def judge_formats(name, project, exit_code):
    outputs = {}
    for form in ("json", "sarif", "junit", "github", "html", "text"):
        done = kedge_run(kedge, project, "check", "--format", form)
        outputs[form] = done.stdout
        judge(f"{name}: exit code of {form}", done.returncode == exit_code, f"{done.returncode} {done.stderr[:300]}")
    for form, judged in (("json", document_faults("check", outputs["json"])),
                         ("sarif", sarif_faults(outputs["sarif"])), ("junit", junit_faults(outputs["junit"]))):
        judge(f"{name}: {form} fits its published schema", judged == [], judged[:3])
    document = json.loads(outputs["json"])
    findings, errors = document["findings"], document["errors"]
    sarif = json.loads(outputs["sarif"])
    judge(f"{name}: sarif says whether all was checked", [item["executionSuccessful"] for item in sarif["runs"][0]["invocations"]] == [exit_code != 2],
          sarif["runs"][0].get("invocations"))
    for guard in document["guards"]:
        line = next(line for line in outputs["text"].splitlines() if line.split()[:1] == [guard["guard"]])
        judge(f"{name}: text counts like json: {guard['guard']}", guard["failed"] or (f"{guard['findings']} finding(s)" in line) == (guard["findings"] > 0),
              line)
    judge(f"{name}: sarif version", sarif["version"] == "2.1.0" and len(sarif["runs"]) == 1)
    results = sarif["runs"][0]["results"]
    judge(f"{name}: sarif results", sorted(item["ruleId"] for item in results) ==
          sorted(item["code"] or "note" for item in findings + errors), f"{len(results)} for {len(findings + errors)}")
    rules = {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"].get("rules", [])}
    judge(f"{name}: sarif rules", {item["ruleId"] for item in results} <= rules, rules)
    junit = xml.fromstring(outputs["junit"])
    taken = [float(suite.get("time")) for suite in junit]
    judge(f"{name}: junit times", max(taken) > 0 and abs(sum(taken) - float(junit.get("time"))) < 0.01, taken)
    judge(f"{name}: junit names", not [case.get("name") for case in junit.iter("testcase") if case.get("name") != case.get("name").strip()])
    failures = len(junit.findall(".//failure"))
    wanted = sum(item["severity"] == "error" for item in findings)
    judge(f"{name}: junit failures", failures == wanted, f"{failures} for {wanted}")
    unchecked = len(junit.findall(".//error"))
    judge(f"{name}: junit errors", unchecked == len(errors) == int(junit.get("errors")), f"{unchecked} for {len(errors)}")
    lines = [line for line in outputs["github"].splitlines() if line]
    judge(f"{name}: github lines", len(lines) == len(findings) + len(errors) and
          all(line.startswith(("::error", "::warning", "::notice")) for line in lines), lines[:5])
    judge(f"{name}: html", outputs["html"].lstrip().lower().startswith("<!doctype html>") and
          all(item["code"] in outputs["html"] for item in findings) and "src=\"http" not in outputs["html"])
    judge(f"{name}: text", all(item["code"] in outputs["text"] for item in findings), outputs["text"][:300])
    return document


def through_rest(project):
    server = subprocess.Popen([kedge, "-C", str(project), "serve", "--port", "0"], stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True)
    try:
        url = server.stderr.readline().split()[-1].rstrip("/")
        request = urllib.request.Request(url + "/check", data=b"{}", method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


def through_mcp(project):
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "check", "arguments": {}}}]
    done = subprocess.run([kedge, "-C", str(project), "mcp"], input="".join(json.dumps(m) + "\n" for m in messages),
                          capture_output=True, text=True, timeout=60)
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    return answers[2]["result"]["content"][0]["text"]


def timeless(text):
    """A document's bytes but for the clock's: how long each guard took, and when."""
    return re.sub(r'"(seconds|time)": [^,\n]+', r'"\1": 0', text).strip()


def judge_surfaces(name, project):
    """One document, byte for byte, wherever it is asked for."""
    texts = {"the command line": kedge_run(kedge, project, "check", "--format", "json").stdout,
             "REST": through_rest(project), "MCP": through_mcp(project)}
    wanted = timeless(texts["the command line"])
    for surface in ("REST", "MCP"):
        lines = zip(timeless(texts[surface]).splitlines(), wanted.splitlines())
        judge(f"{name}: the bytes of {surface}", timeless(texts[surface]) == wanted,
              next((pair for pair in lines if pair[0] != pair[1]), "one is longer"))


def judge_together(base, healthy):
    """All that can live in one project: each finding of a kind is there, in every format and surface."""
    project = base / "together"
    shutil.copytree(healthy, project)
    expected = set()
    kinds = {kind[0]: kind for kind in KINDS}
    for name in TOGETHER:
        kinds[name][1](project)
        expected |= set(kinds[name][2])
    document = judge_formats("together", project, 1)
    found = keys_of(document)
    if options.show:
        print(f"together: {len(found)} findings\n    " + "\n    ".join(found))
    judge("together: nothing more, nothing less", set(found) == expected,
          f"\n  missing {sorted(expected - set(found))}\n  more {sorted(set(found) - expected)}")
    judge_surfaces("together", project)


def judge_unchecked(base, healthy):
    """What could not be checked is in every format too, and the exit code is 2."""
    project = base / "unchecked"
    shutil.copytree(healthy, project)
    next(kind for kind in KINDS if kind[0] == "contract: unreachable database")[1](project)
    judge_formats("unchecked", project, 2)
    judge_surfaces("unchecked", project)


# What happens once, the codes that tell it, the file they name, and the guards that it keeps from checking.
ONCE = (
    ("an unknown key of project.yml", lambda p: append(p, "project.yml", "zzz: 1\n"), ["PZ0101"], "project.yml",
     {"models", "metadata", "replay", "contracts", "templates", "code", "docs"}),
    ("a project file that is no YAML", lambda p: append(p, "project.yml", "x: [\n"), None, "project.yml",
     {"models", "metadata", "replay", "contracts", "templates", "code", "docs"}),
    ("two errors of metadata", lambda p: (p / "metadata/zz.yml").write_text("children: [{object.entity: {nam: X}}]\n"),
     ["ERR_MISSING_REQUIRED_ATTR", "ERR_UNKNOWN_ATTR"], "metadata/zz.yml", {"metadata", "contracts", "templates", "code", "docs"}),
    ("a connections file that is no YAML", lambda p: append(p, "connections.yml", "x: [\n"), None, "connections.yml",
     {"models", "metadata", "replay", "contracts"}),
    ("a database whose folder is gone", lambda p: edit(p, "connections.yml", "data/harbour.sqlite", "gone/harbour.sqlite"),
     ["connection_failed"], "connections.yml", {"models", "metadata", "contracts"}),
    ("a model that is no YAML", lambda p: append(p, "models/harbour/vessels.yml", "a: [\n"), ["yaml_syntax"],
     "models/harbour/vessels.yml", {"models"}),
    ("a model of another name", lambda p: edit(p, "models/harbour/vessels.yml", "name: vessels", "name: vesels"),
     ["model_name_mismatch"], "models/harbour/vessels.yml", {"models"}),
    ("a model with a name that none may have", lambda p: edit(p, "models/harbour/vessels.yml", "name: vessels", "name: 'a b'"),
     None, "models/harbour/vessels.yml", {"models"}),
)


def append(project, file, text):
    (project / file).write_text((project / file).read_text() + text)


def judge_once(base, healthy):
    """An error that several guards meet is told once, with its place; the others refer to it, in every format."""
    for name, act, codes, file, guards in ONCE:
        project = base / "once"
        shutil.copytree(healthy, project)
        act(project)
        document = judge_formats(name, project, 2)
        errors = document["errors"]
        judge(f"{name}: told once", codes is None or [error["code"] for error in errors] == codes, errors)
        judge(f"{name}: where", errors and all(error.get("file") == file and error["line"] > 0 for error in errors), errors)
        met = {guard for error in errors for guard in [error["guard"], *error.get("also", [])]}
        judge(f"{name}: the guards", met == guards == {guard["guard"] for guard in document["guards"] if guard["failed"]}, met)
        text = kedge_run(kedge, project, "check").stdout
        place = f"{errors[0]['code']} at {file}:{errors[0]['line']}:{errors[0]['column']}"
        judge(f"{name}: the others refer to it", text.count(f"could not check: {place}") == len(guards), text)
        junit = xml.fromstring(kedge_run(kedge, project, "check", "--format", "junit").stdout)
        skipped = [suite.get("name") for suite in junit for case in suite if case.find("skipped") is not None]
        judge(f"{name}: junit skips the others", sorted(skipped) == sorted(guards - {errors[0]["guard"]}), skipped)
        github = kedge_run(kedge, project, "check", "--format", "github").stdout
        judge(f"{name}: github names the place", github.count(f"file={file},line=") >= len(errors), github)
        shutil.rmtree(project)


def judge_databases(base, healthy):
    """Metadata without a target is compared with the only database that it can be about; else that is said."""
    project = base / "databases"
    (project / "metadata").mkdir(parents=True)
    (project / "data").mkdir()
    (project / "project.yml").write_text("name: one\nversion: '1'\nmigrate:\n  dialect: sqlite\n")
    (project / "connections.yml").write_text(
        "harbour:\n  connector: sqlite\n  path: data/h.db\nfeeds:\n  connector: localfiles\n  root: .\n"
        "cube:\n  connector: duckdb\n  path: data/c.duckdb\n")
    (project / "metadata/h.yml").write_text(
        "package: h\nchildren:\n  - object.entity: {name: Crate, children: [{source.rdb: {}}, {field.long: id}, {identity.primary: {fields: id}}]}\n")
    kedge_run(kedge, project, "migrate", "--apply", "--db", "harbour", "--slug", "first")
    guard = json.loads(kedge_run(kedge, project, "check", "--only", "metadata", "--format", "json").stdout)["guards"][1]
    judge("the only database", guard["ran"] and guard["ok"] and "harbour" in guard["message"], guard)
    append(project, "connections.yml", "spare:\n  connector: sqlite\n  path: data/spare.sqlite\n")
    done = kedge_run(kedge, project, "check", "--only", "metadata")
    judge("one of two", "metadata   nothing to guard (no database is compared with the metadata: migrate.target or migrate.check "
          "chooses among harbour, spare)" in done.stdout and done.returncode == 0, done.stdout)
    edit(project, "project.yml", "dialect: sqlite", "dialect: sqlite\n  check: [harbour, spare]")
    done = kedge_run(kedge, project, "check", "--only", "metadata", "--format", "json")
    document = json.loads(done.stdout)
    judge("each that is named", [error["code"] for error in document["errors"]] == ["ERR_CONNECT"] and
          document["errors"][0]["file"] == "connections.yml", document["errors"])
    shutil.rmtree(project)


def judge_adopted(base, healthy):
    """What was there before the chain may be missing from a replay; what a lost migration made may not."""
    project = base / "adopted"
    for folder in ("metadata", "data"):
        (project / folder).mkdir(parents=True)
    (project / "project.yml").write_text("name: one\nversion: '1'\nmigrate:\n  dialect: sqlite\n  target: h\n")
    (project / "connections.yml").write_text("h:\n  connector: sqlite\n  path: data/h.db\n")
    entity = "  - object.entity: {{name: {}, children: [{{source.rdb: {{}}}}, {{field.long: id}}, {{identity.primary: {{fields: id}}}}]}}\n"
    (project / "metadata/h.yml").write_text("package: h\nchildren:\n" + entity.format("Crate"))
    sqlite3.connect(project / "data/h.db").executescript("CREATE TABLE crates (id INTEGER PRIMARY KEY NOT NULL)")

    def replayed():
        done = kedge_run(kedge, project, "check", "--only", "replay")
        return done.returncode, done.stdout + done.stderr

    kedge_run(kedge, project, "migrate", "baseline", "--from-db", "--db", "h")
    append(project, "metadata/h.yml", entity.format("Lot"))
    made = kedge_run(kedge, project, "migrate", "--apply", "--db", "h", "--slug", "lot")
    code, text = replayed()
    judge("adopted: only what was there", code == 0 and "1 object(s) that were there before it" in text, [made.stderr, code, text])
    append(project, "metadata/h.yml", entity.format("Bin"))
    kedge_run(kedge, project, "migrate", "--apply", "--db", "h", "--slug", "bin")
    shutil.rmtree(next((project / "migrations").glob("*-bin")))
    code, text = replayed()
    judge("adopted: a lost migration", code == 1 and "+ table bins" in text and "in line" not in text, [code, text])
    kedge_run(kedge, project, "migrate", "baseline", "--from-db", "--db", "h", "--force")
    listed = json.loads((project / "migrations/.adopted.sqlite.json").read_text())["objects"]
    judge("adopted: a second baseline adopts nothing of the chain", listed == ["crates"], listed)
    (project / "migrations/.adopted.sqlite.json").write_text("{")
    code, text = replayed()
    judge("adopted: a broken list", code == 2 and "ERR_SNAPSHOT_CORRUPT" in text and ".adopted.sqlite.json" in text, [code, text])
    shutil.rmtree(project)


def judge_settings(base, healthy):
    """What project.yml names and is not there is a broken declaration; a check of nothing is a misuse."""
    for name, old, new, code in (
            ("a target database", "target: harbour", "target: harbor", "ERR_SOURCE"),
            ("another database", "dialect: sqlite", "dialect: sqlite\n  check: [nowhere]", "ERR_SOURCE"),
            ("a data source", "templates: {}", "templates: {}\ndata_source_priority: [nowhere]", "ERR_SOURCE"),
            ("a pack", "pack: cpp", "pack: cppp", "ERR_PACK_NOT_FOUND"),
            ("an option of a pack", "{namespace:", "{namespce:", "ERR_PACK_OPTION"),
            ("a folder of templates", "templates: {}", "templates: {root: nowhere}", "ERR_TEMPLATES_ROOT")):
        project = base / "settings"
        shutil.copytree(healthy, project)
        edit(project, "project.yml", old, new)
        done = kedge_run(kedge, project, "validate", "--format", "json")
        found = [item["code"] for item in json.loads(done.stdout)["errors"]]
        judge(f"validate: {name}", found == [code] and done.returncode == 2, f"{found} {done.returncode} {done.stderr[:300]}")
        checked = json.loads(kedge_run(kedge, project, "check", "--format", "json").stdout)
        judge(f"check: {name}", [item["code"] for item in checked["errors"]] == [code], checked["errors"])
        judge(f"validate: {name}: where", "project.yml:" in done.stderr + kedge_run(kedge, project, "validate").stdout, done.stderr)
        shutil.rmtree(project)
    judge("validate: healthy", kedge_run(kedge, healthy, "validate").returncode == 0)
    done = kedge_run(kedge, healthy, "check", "--only", "models", "--skip", "models")
    judge("a check of nothing", done.returncode == 2 and "ERR_USAGE" in done.stderr, done.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix="kedge-check") as name:
        base = pathlib.Path(name)
        healthy = base / "healthy"
        make_healthy(kedge, healthy)
        document = judge_formats("healthy", healthy, 0)
        judge("healthy: nothing found", keys_of(document) == [], keys_of(document))
        judge("healthy: every guard ran", all(guard["ran"] for guard in document["guards"]), document["guards"])
        judge_surfaces("healthy", healthy)
        judge_kinds(base, healthy)
        if not options.only:
            judge_unchecked(base, healthy)
            judge_together(base, healthy)
            judge_once(base, healthy)
            judge_databases(base, healthy)
            judge_adopted(base, healthy)
            judge_settings(base, healthy)
            judge_since(kedge, base, healthy, judge)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
