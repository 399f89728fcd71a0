#!/usr/bin/env python3
"""Broken projects against every command: no crash, no hang, one JSON document, exit code 2 and no secret.

run_badinput.py --kedge PATH --project FOLDER [--only PART] [--verbose]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECRET = "s3cr3tWord"
LIMIT_SECONDS = 10
ENVIRONMENT = {**os.environ, "HARBOUR_SECRET": SECRET, "LC_ALL": "C.UTF-8"}


class Suite:
    def __init__(self, kedge, project, only, verbose):
        self.kedge, self.project = kedge, project
        self.only, self.verbose = only, verbose
        self.passed, self.failed = 0, 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kedge-badinput-"))

    def wanted(self, name):
        return self.only is None or self.only in name

    def fresh(self):
        target = self.folder / "project"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.template, target)
        return target

    def prepare(self):
        """A project whose database exists, with a chain, a run and a record."""
        self.template = self.folder / "template"
        shutil.copytree(self.project, self.template)
        (self.template / "data").mkdir(exist_ok=True)
        for words in (["migrate", "--apply", "--slug", "first"], ["run", "--all"], ["record", "harbour"],
                      ["docs"]):
            done = self.call(self.template, words)
            if done.returncode != 0:
                raise SystemExit(f"cannot prepare: {words}: {done.stderr}")

    def call(self, folder, words, given=b""):
        command = [self.kedge, *words]
        if "-C" not in words:
            command[1:1] = ["-C", str(folder)]
        return subprocess.run(command, input=given, capture_output=True, timeout=LIMIT_SECONDS, env=ENVIRONMENT,
                              cwd=self.folder, check=False)

    def judge(self, name, problems):
        if problems:
            self.failed += 1
            print(f"FAIL {name}: " + "; ".join(problems))
        else:
            self.passed += 1
            if self.verbose:
                print(f"ok   {name}")

    def check(self, name, folder, words, exits=(2,), contains=(), as_json=False):
        """Runs one command and judges everything that holds for all of them."""
        try:
            done = self.call(folder, words)
        except subprocess.TimeoutExpired:
            return self.judge(name, [f"took more than {LIMIT_SECONDS} s: {' '.join(words)}"])
        out = done.stdout.decode("utf-8", "replace")
        err = done.stderr.decode("utf-8", "replace")
        problems = []
        if done.returncode not in exits:
            problems.append(f"exit {done.returncode}, not one of {exits}: {(err or out)[:300]!r}")
        if "ERR_INTERNAL" in out + err or "please report" in out + err:
            problems.append(f"internal error: {(err or out)[:300]!r}")
        if SECRET in out + err:
            problems.append(f"shows the secret: {' '.join(words)}")
        if as_json:
            try:
                json.loads(done.stdout.decode("utf-8"))
            except ValueError as error:
                problems.append(f"not one JSON document ({error}): {out[:200]!r}")
        problems += [f"{text!r} is missing in {err[:400]!r}" for text in contains if text not in err + out]
        return self.judge(name, problems)


def commands(suite):
    """Every command with its formats and required positionals, from --help."""
    found = []

    def visit(path):
        text = suite.call(suite.folder, [*path, "--help"]).stdout.decode()
        usage = re.search(r"Usage: (.*)", text).group(1)
        if path and ("-C DIR" in text):
            needed = re.findall(r"(?<= )[A-Za-z][A-Za-z.|_-]*(?= |$)", usage.split("[OPTIONS]")[1])
            found.append((path, [word for word in needed if "SUBCOMMAND" not in word], "json" in
                          (re.search(r"--format (\S+)", text) or [""])[0]))
        if "Subcommands:" in text:
            for line in text.split("Subcommands:")[1].splitlines():
                word = re.match(r"  ([a-z-]+)", line)
                if word:
                    visit([*path, word.group(1)])

    visit([])
    return found


INTERACTIVE = {"serve", "mcp", "init", "completion", "explain", "reference"}


def every_command(suite, label, spoil, exits):
    """Each command in a project that `spoil` has broken."""
    for path, needed, has_json in commands(suite):
        if path[0] in INTERACTIVE or not has_json:
            continue
        folder = suite.fresh()
        spoil(folder)
        words = [*path, *("no_such_thing" for _ in needed), "--format", "json"]
        suite.check(f"{label}: kedge {' '.join(path)}", folder, words, exits, as_json=True)


def json_failures(suite):
    anything = (0, 1, 2)
    every_command(suite, "json/broken project", lambda f: (f / "project.yml").write_text("a: [1\n"), anything)
    every_command(suite, "json/broken connections",
                  lambda f: (f / "connections.yml").write_text(f"harbour: {{connector: postgres, host: 127.0.0.1, port: 1, user: u, password: {SECRET}, database: d}}\n"),
                  anything)
    every_command(suite, "json/unset variable",
                  lambda f: (f / "connections.yml").write_text("harbour: {connector: postgres, host: h, password: ${NOT_SET_ANYWHERE}}\n"),
                  anything)
    every_command(suite, "json/empty folder", lambda f: [shutil.rmtree(f), f.mkdir()], anything)
    for path, needed, has_json in commands(suite):
        if has_json and path[0] not in INTERACTIVE:
            args = ["x" for _ in needed]
            suite.check(f"json/no folder: kedge {' '.join(path)}", None,
                        [*path, *args, "--format", "json", "-C", str(suite.folder / "nowhere")], (2,), as_json=True)
            suite.check(f"json/usage: kedge {' '.join(path)}", suite.template,
                        [*path, *args, "--format", "json", f"--bogus=postgres://u:{SECRET}@h/d",
                         f"mysql://u:{SECRET}@h/d"], (2,), as_json=True)


FILES = {
    "project.yml": ["validate"],
    "connections.yml": ["validate"],
    "models/harbour/berths.yml": ["validate-models"],
    "metadata/harbour.yml": ["validate"],
    "pipelines/arrivals.sql": ["validate"],
    "templates/notices/arrival.mustache": ["verify", "--templates"],
    "migrations/.schema.sqlite.json": ["migrate", "--dry-run"],
    "UP": ["verify", "--replay"],
    ".kedge/record": ["log"],
    ".kedge/run": ["runs"],
}

CONTENTS = {
    "empty": b"",
    "nul": b"name: a\0b\n\0\0\0",
    "invalid utf-8": b"name: \xff\xfe\xc3(\n",
    "utf-16": "name: x\n".encode("utf-16"),
    "open bracket": b"{\"a\": [1, 2",
    "a list": b"- 1\n- 2\n",
    "a number": b"7",
    "null": b"null\n",
    "huge integer": b"version: 1" + b"0" * 400 + b"\nname: 99999999999999999999999\nformat: 9" + b"9" * 40 + b"\n",
    "deep json": b"{\"a\":" + b"[" * 10000 + b"]" * 10000 + b"}",
    "deep open": b"[" * 100000,
    "deep braces": b"{a: " * 10000 + b"}" * 10000,
    "deep indent": b"".join(b" " * i + b"a:\n" for i in range(1500)),
    "unknown key": b"nmae: x\n",
    "alias bomb": b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 10)) for c in range(98, 108)),
    "own alias": b"a: &a [*a]\n",
    "deep tag": b"{{#a}}" * 20000,
    "deep parens": b"SELECT " + b"(" * 20000 + b"1" + b")" * 20000,
    "open quote": b"SELECT 'abc",
    "tabs": b"a:\n\t- b\n",
    "two keys": b"a: 1\na: 2\n",
}


def place(folder, name):
    if name == "UP":
        return next(folder.glob("migrations/*/up.sql"))
    if name == ".kedge/record":
        found = [p for p in (folder / ".kedge").rglob("*") if p.is_file() and "runs" not in p.parts]
        return sorted(found)[0]
    if name == ".kedge/run":
        return next(folder.glob(".kedge/runs/*/run.json"))
    return folder / name


def spoilt_files(suite):
    for name, words in FILES.items():
        for kind, content in CONTENTS.items():
            folder = suite.fresh()
            place(folder, name).write_bytes(content)
            suite.check(f"files/{name}/{kind}", folder, words, (0, 1, 2))
        folder = suite.fresh()
        path = place(folder, name)
        if path.exists():
            path.unlink()
        path.mkdir()
        suite.check(f"files/{name}/a folder", folder, words, (0, 1, 2))
        folder = suite.fresh()
        path = place(folder, name)
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
            suite.check(f"files/{name}/crlf", folder, words, (0, 1))


def state_files(suite):
    """Every file below .kedge and migrations, cut short and replaced, against what reads it."""
    readers = [["log"], ["runs"], ["state", "show"], ["retry"], ["clean"], ["migrate", "status"], ["check"]]
    names = [p.relative_to(suite.template) for top in (".kedge", "migrations") for p in
             sorted((suite.template / top).rglob("*")) if p.is_file()]
    for name in names:
        for kind in ("empty", "nul", "open bracket", "a list", "deep json", "invalid utf-8"):
            for words in readers:
                folder = suite.fresh()
                (folder / name).write_bytes(CONTENTS[kind])
                suite.check(f"state/{name}/{kind}/{' '.join(words)}", folder, words, (0, 1, 2))


def values(suite):
    """Wrong types and unknown keys are errors with a place."""
    cases = [
        ("project.yml", "name: [a]\n", ["validate"], "project.yml:1"),
        ("project.yml", "name: harbour\nbogus: 1\n", ["validate"], "project.yml:2"),
        ("project.yml", "name: harbour\nmetadata: 7\n", ["validate"], "project.yml:2"),
        ("project.yml", "name: harbour\nmetadata:\n  sources: x\n", ["validate"], "project.yml:3"),
        ("project.yml", "name: harbour\nmigrate: []\n", ["migrate", "--dry-run"], "project.yml:2"),
        ("project.yml", "name: harbour\non_source_drift: maybe\n", ["validate"], "project.yml:2"),
        ("project.yml", "name: harbour\ntemplates: {limits: {steps: -1}}\n", ["verify", "--templates"],
         "project.yml:2"),
        ("project.yml", "name: harbour\ntemplates: {limits: {steps: 1" + "0" * 30 + "}}\n",
         ["verify", "--templates"], "project.yml:2"),
        ("project.yml", "name: harbour\ngen: {targets: 3}\n", ["gen"], "project.yml:2"),
        ("connections.yml", "harbour: 7\n", ["validate"], "connections.yml:1"),
        ("connections.yml", "harbour:\n  connector: sqlyte\n", ["validate"], "connections.yml:2"),
        ("connections.yml", "harbour:\n  connector: sqlite\n  path: [a]\n", ["validate"], "connections.yml:3"),
        ("connections.yml", "harbour:\n  connector: sqlite\n  pth: a\n", ["validate"], "connections.yml:3"),
        ("connections.yml", "harbour:\n  connector: postgres\n  host: h\n  database: d\n  port: 99999999999999999999\n", ["validate"],
         "connections.yml:5"),
        ("connections.yml", "harbour:\n  connector: postgres\n  host: h\n  database: d\n  port: abc\n", ["validate"], "connections.yml:5"),
        ("models/harbour/berths.yml", "name: berths\nsql_table: berths\ncolumns: 3\n", ["validate-models"],
         "berths.yml:3"),
        ("models/harbour/berths.yml", "name: berths\nsql_table: berths\ncolums: []\n", ["validate-models"],
         "berths.yml:3"),
        ("models/harbour/berths.yml", "name: berths\nsql_table: berths\ncolumns:\n  - {name: id, type: INTT}\n",
         ["validate-models"], "berths.yml:4"),
        ("metadata/harbour.yml", "package: harbour\nchildren: 3\n", ["validate"], "harbour.yml:2"),
        ("metadata/harbour.yml", "package: harbour\nbogus: 3\n", ["validate"], "harbour.yml:2"),
        ("metadata/harbour.yml", "package: harbour\nchildren:\n  - object.entity:\n      name: 5\n", ["validate"],
         "harbour.yml:"),
        ("pipelines/arrivals.sql", "SELECT 1 FROM {{ source('pilots' }}\n", ["validate"], "arrivals.sql:1"),
        ("pipelines/arrivals.sql", "SELECT 1 {{ bogus() }}\n", ["validate"], "arrivals.sql:1"),
        ("templates/notices/arrival.mustache", "a\n{{#x}}\n", ["verify", "--templates"], "arrival.mustache:2"),
    ]
    for name, text, words, position in cases:
        folder = suite.fresh()
        (folder / name).write_text(text)
        suite.check(f"values/{name}/{text!r}", folder, words, (1, 2), (position,))


def sources(suite):
    """Databases that are not there or not what they should be."""
    folder = suite.fresh()
    data = (folder / "data/harbour.sqlite").read_bytes()
    (folder / "cut.db").write_bytes(data[: len(data) // 2])
    (folder / "head.db").write_bytes(data[:50])
    (folder / "text.db").write_text("hello world, this is not a database at all\n" * 30)
    (folder / "noise.db").write_bytes(data[:100] + bytes(range(256)) * 40)
    (folder / "dir.db").mkdir()
    (folder / "bad.json").write_bytes(CONTENTS["deep json"])
    (folder / "list.json").write_text("[]")
    (folder / "empty.sql").write_text("")
    urls = ["sqlite:cut.db", "sqlite:head.db", "sqlite:text.db", "sqlite:noise.db", "sqlite:dir.db", "sqlite:none.db",
            "duckdb:text.db", "duckdb:dir.db", "duckdb:none.db", "duckdb:cut.db", "snapshot:bad.json",
            "snapshot:list.json", "snapshot:none.json", "snapshot:dir.db", "sql:none.sql", "sqlite:", "duckdb:",
            "d1:NOPE", "odbc:NOPE", f"odbc:Driver=NOPE;UID=u;PWD={SECRET}",
            f"postgres://u:{SECRET}@127.0.0.1:1/d", f"mysql://u:{SECRET}@127.0.0.1:1/d",
            f"postgres://u:{SECRET}@127.0.0.1:99999/d", f"postgres://u:{SECRET}@/d?host=/nowhere",
            f"postgres://u:{SECRET}@127.0.0.1:abc/d", f"nonsense://u:{SECRET}@h/d", f"postgres://h/d?password={SECRET}&bogus=1",
            f"postgress://u:{SECRET}@h/d", "chain:none", "harbour@1999-01-01", "harbour@nonsense", "bogus:x", ""]
    for url in urls:
        for words in (["inspect", url], ["diff", url, "harbour"], ["snapshot", url], ["record", url],
                      ["connections", "test", url], ["verify", "--db", url], ["migrate", "status", "--db", url],
                      ["migrate", "--dry-run", "--from-db", "--db", url], ["metadata", "import", "--db", url],
                      ["migrate", "apply-pending", "--db", url],
                      ["migrate", "prove", "--scratch-url", url], ["contract", "diff", url, url],
                      ["ingest", "--datasource", url], ["validate-models", "--datasource", url],
                      ["impact", "--against", url], ["query", url]):
            writes = "--scratch-url" in words or "apply-pending" in words or "migrate" in words
            ok = (0, 1, 2) if writes or url in ("sqlite:", "duckdb:", "") or "cut" in url or "head" in url or "noise" in url else (2,)
            suite.check(f"sources/{' '.join(words).replace(SECRET, '***')}", folder, [*words, "--format", "json"], ok, as_json=True)
    kept = [p for p in folder.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    suite.judge("sources/no secret in any file", [f"{p} holds the secret" for p in kept])


def secrets(suite):
    connection = ("harbour: {connector: postgres, host: 127.0.0.1, port: 1, user: u, password: \"${HARBOUR_SECRET}\", "
                  "database: d}\n")
    for text in (connection, connection.replace("port: 1", "port: x"), connection.replace("user:", "usr:"),
                 connection.replace("password: \"${HARBOUR_SECRET}\"", "password: [\"${HARBOUR_SECRET}\"]"),
                 connection.replace("port: 1", "port: ${HARBOUR_SECRET}"),
                 connection.replace("postgres", "${HARBOUR_SECRET}"),
                 f"harbour: {{connector: postgres, password: {SECRET}, passwort: x}}\n",
                 f"harbour:\n  connector: postgres\n  password: {SECRET}\n   port: 3\n",
                 f"harbour: {{connector: postgres, password: '{SECRET}\n",
                 f"harbour: {{connector: mysql, host: 127.0.0.1, port: 1, user: u, password: {SECRET}, database: d}}\n",
                 f"harbour: {{connector: postgres, url: 'postgres://u:{SECRET}@h:1/d'}}\n"):
        for words in (["validate", "--connect"], ["connections", "list"], ["connections", "test"], ["check"],
                      ["validate-models"], ["ingest", "--datasource", "harbour"], ["run", "--all"], ["inspect", "harbour"],
                      ["migrate", "--apply"], ["record", "harbour"]):
            folder = suite.fresh()
            (folder / "connections.yml").write_text(text)
            suite.check(f"secrets/{text[:70].replace(SECRET, '***')!r}/{' '.join(words)}", folder, words, (0, 1, 2))
            kept = [p for p in (folder / ".kedge").rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
            suite.judge("secrets/files", [f"{p} holds the secret" for p in kept])


def long_line(suite):
    folder = suite.fresh()
    for name, words in (("project.yml", ["validate"]), ("connections.yml", ["validate"]),
                        ("metadata/harbour.yml", ["validate"]), ("models/harbour/berths.yml", ["validate-models"])):
        folder = suite.fresh()
        (folder / name).write_bytes(b"name: " + b"x" * 100_000_000 + b"\n")
        suite.check(f"long line/{name}", folder, words, (0, 1, 2))


def outputs(suite):
    """A result that could not be written is a failure; inputs named on the command line are checked as files are."""
    for words in (["snapshot", "harbour"], ["check", "--format", "json"], ["ls"], ["--help"], ["reference", "--help"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([suite.kedge, "-C", str(suite.template), *words], stdout=full, stderr=subprocess.PIPE,
                                  timeout=LIMIT_SECONDS, env=ENVIRONMENT, check=False)
        suite.judge(f"outputs/full disk/{' '.join(words)}",
                    [] if done.returncode == 2 and b"ERR_IO" in done.stderr else [f"exit {done.returncode}"])
    for kind in ("empty", "nul", "open bracket", "a number", "deep json", "deep open", "invalid utf-8", "unrelated"):
        folder = suite.fresh()
        (folder / "in.json").write_bytes(CONTENTS.get(kind, b'{"hello": {"a": [1, 2]}, "nodes": 3}'))
        given = str(folder / "in.json")
        for words in (["query", f"@{given}"], ["check", "--baseline", given], ["inspect", f"snapshot:{given}"],
                      ["validate-models", "--force-clean", "--yes", "--from", given],
                      ["contract", "import", given, "--connection", "new"],
                      ["models", "import", "--from", "dbt", given, "--datasource", "harbour"],
                      ["models", "import", "--from", "cube", given, "--datasource", "harbour"]):
            suite.check(f"outputs/{kind}/{' '.join(words).replace(given, 'FILE')}", folder, [*words, "--format", "json"], (2,), as_json=True)
        suite.check(f"outputs/{kind}/render", folder, ["render", "harbour::ArrivalNoticePrompt", "--payload", given],
                    (1, 2))


def not_files(suite):
    """A pipe in the place of a file is refused, not waited for; a folder without a project is no healthy one."""
    for name, words in FILES.items():
        if name.startswith((".kedge", "UP")):
            continue
        folder = suite.fresh()
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        whole = name in ("project.yml", "connections.yml", "migrations/.schema.sqlite.json") or name.startswith(
            ("metadata/", "models/", "pipelines/"))
        suite.check(f"not files/{name}", folder, words, (2,) if whole else (0, 1, 2),
                    ("ERR_IO", "not a regular file") if whole else ())
        if whole and name not in ("project.yml", "connections.yml", "migrations/.schema.sqlite.json"):
            (folder / name).unlink()
            (folder / name).symlink_to("nowhere")
            suite.check(f"not files/{name} leads nowhere", folder, words, (2,), ("ERR_IO", "not there"))
            (folder / name).unlink()
            (folder / name).with_name(f".#{pathlib.Path(name).name}").symlink_to("someone@host.1:2")  # an editor's lock
            done = suite.call(folder, words)
            suite.judge(f"not files/{name}: hidden names are left alone", [] if b".#" not in done.stdout + done.stderr else [done.stderr])
    folder = suite.folder / "nothing"
    folder.mkdir(exist_ok=True)
    for words in (["check"], ["validate"], ["validate-models", "--check"]):
        suite.check(f"not files/no project: {words[0]}", folder, [*words, "--format", "json"], (2,), ("holds no project", "kedge init"))
    (folder / "models/harbour").mkdir(parents=True)
    shutil.copy(suite.template / "models/harbour/berths.yml", folder / "models/harbour/berths.yml")
    suite.check("not files/models alone are a project", folder, ["check", "--only", "templates"], (0,))
    for words in (["--help"], ["diff", "--help"], ["migrate", "apply-pending", "--help"], ["models"]):
        done = suite.call(suite.folder, words)
        usage = re.search(r"Usage: (.*)", (done.stdout + done.stderr).decode())
        wanted = " ".join(["kedge", *[word for word in words if word != "--help"]])
        suite.judge(f"not files/usage of {wanted}", [] if usage and usage.group(1).startswith(wanted + " ") else
                    [f"usage line {usage.group(1) if usage else None!r}"])


PARTS = [not_files, outputs, json_failures, spoilt_files, state_files, values, sources, secrets, long_line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    suite = Suite(os.path.abspath(given.kedge), pathlib.Path(given.project), given.only, given.verbose)
    try:
        suite.prepare()
        for part in PARTS:
            if given.only is None or given.only == part.__name__:
                part(suite)
    finally:
        shutil.rmtree(suite.folder, ignore_errors=True)
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
