#!/usr/bin/env python3
"""No command shows a secret, whatever goes wrong: every command of the command table, every connector broken,
passwords in URLs, values of ${VAR}; output, JSON, SARIF, events and every file that kedge leaves are searched.

no_secrets.py --kedge PATH [--only COMMAND] [-v]
A command that this test cannot call is a failure, so a new one cannot escape. Prints `N passed, N failed`.
"""
from __future__ import annotations

import argparse
import base64
import os
import re
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

SECRETS = {"K_PASSWORD": "Hafen/Tor 7&x", "K_HOST": "127.0.0.1", "K_USER": "leuchtturm.user", "K_DATABASE": "geheimkai_db", "K_PATH": "verborgene_ablage",
           "K_TOKEN": "tk-4711-anker"}
LITERAL = "offenes-Geheimnis"   # written in the file
IN_URL = "url-Geheimnis%21"     # on the command line
# 127.0.0.1 is no secret by itself: messages of the system hold it.
VALUES = [v for k, v in SECRETS.items() if k != "K_HOST"] + [LITERAL, IN_URL, urllib.parse.unquote(IN_URL)]


def forms(value):
    """The value as it may appear: as it is, percent-encoded, in JSON, in base64."""
    found = {value, urllib.parse.quote(value, safe=""), urllib.parse.quote(value), urllib.parse.quote_plus(value), value.replace('"', '\\"'),
             base64.b64encode(value.encode()).decode().rstrip("=")}
    return {f.encode() for f in found} | {urllib.parse.quote(value, safe="").lower().encode()}


PATTERNS = [p for v in VALUES for p in forms(v) if len(p) > 5]


class EchoingPostgres(socketserver.BaseRequestHandler):
    """A server that asks for the password in clear and puts it, and all else it was told, into its error."""

    def handle(self):
        self.request.settimeout(5)
        try:
            told = b""
            while True:
                size = struct.unpack("!I", self.take(4))[0]
                body = self.take(size - 4)
                if body[:4] == b"\x04\xd2\x16\x2f" or body[:4] == b"\x04\xd2\x16\x30":   # TLS, GSS: no
                    self.request.sendall(b"N")
                    continue
                told = body[4:]
                break
            self.request.sendall(b"R" + struct.pack("!II", 8, 3))
            self.take(1)
            password = self.take(struct.unpack("!I", self.take(4))[0] - 4).rstrip(b"\0")
            text = b"refused: " + told.replace(b"\0", b" ") + b" password=" + password + b" url=" + urllib.parse.quote(password.decode(), safe="").encode()
            fields = b"SFATAL\0VFATAL\0C28P01\0M" + text + b"\0Dpassword was " + password + b"\0\0"
            self.request.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)
        except (OSError, struct.error):
            pass

    def take(self, size):
        data = b""
        while len(data) < size:
            more = self.request.recv(size - len(data))
            if not more:
                raise OSError("closed")
            data += more
        return data


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True


WRANGLER = """#!/bin/sh
echo "wrangler: cannot open $* as $K_DATABASE with $K_PASSWORD" >&2
exit 1
"""

# Each connection is broken in a way of its own.
CONNECTIONS = """
echo:
  connector: postgres
  host: ${{K_HOST}}
  port: {port}
  database: ${{K_DATABASE}}
  user: ${{K_USER}}
  password: ${{K_PASSWORD}}
  retry: {{ max_attempts: 2, base_delay: 1ms }}
  entities: {{ public.t: {{ read: {{}} }}, public.u: {{ read: {{ columns: {{ a: int }} }}, write: {{ strategy: append }} }} }}
closed: {{ connector: postgres, host: 127.0.0.1, port: 1, database: "${{K_DATABASE}}", user: "${{K_USER}}", password: {literal}, connect_timeout_seconds: 2, retry: {{ max_attempts: 1 }}, entities: {{ t: {{ read: {{}} }} }} }}
nohost: {{ connector: postgres, host: "no such host ${{K_TOKEN}}", database: d, password: "${{K_PASSWORD}}", connect_timeout_seconds: 2, retry: {{ max_attempts: 1 }}, entities: {{ t: {{ read: {{}} }} }} }}
shop: {{ connector: mysql, host: 127.0.0.1, port: 1, database: "${{K_DATABASE}}", user: "${{K_USER}}", password: "${{K_PASSWORD}}", connect_timeout_seconds: 2, retry: {{ max_attempts: 1 }}, entities: {{ t: {{ read: {{}} }} }} }}
lite: {{ connector: sqlite, path: "${{K_PATH}}/none/x.db", entities: {{ t: {{ read: {{}} }} }} }}
litebad: {{ connector: sqlite, path: "${{K_PATH}}.db", entities: {{ t: {{ read: {{ query: "SELECT * FROM ${{K_TOKEN}}" }} }} }} }}
duck: {{ connector: duckdb, path: "${{K_PATH}}.db", entities: {{ t: {{ read: {{ query: "SELECT '${{K_TOKEN}}'::INTEGER" }} }} }} }}
odbc: {{ connector: odbc, connection_string: "Driver=SQLite3;Database=/${{K_PATH}}/none;PWD=${{K_PASSWORD}};Token=${{K_TOKEN}}", entities: {{ t: {{ read: {{ query: "SELECT 1" , columns: {{ a: int }} }} }} }} }}
odbcpg: {{ connector: odbc, connection_string: "Driver=PostgreSQL Unicode;Servername=127.0.0.1;Port={port};Database=${{K_DATABASE}};UID=${{K_USER}};PWD={literal}", entities: {{ t: {{ read: {{ query: "SELECT 1", columns: {{ a: int }} }} }} }} }}
nodriver: {{ connector: odbc, connection_string: "Driver=${{K_TOKEN}};PWD=${{K_PASSWORD}}", entities: {{ t: {{ read: {{ query: "SELECT 1", columns: {{ a: int }} }} }} }} }}
nodsn: {{ connector: odbc, dsn: "${{K_TOKEN}}", password: "${{K_PASSWORD}}", entities: {{ t: {{ read: {{ query: "SELECT 1", columns: {{ a: int }} }} }} }} }}
server: {{ connector: sqlserver, host: 127.0.0.1, port: 1, database: "${{K_DATABASE}}", user: "${{K_USER}}", password: "${{K_PASSWORD}}", entities: {{ dbo.t: {{ read: {{}} }} }} }}
edge: {{ connector: d1, database: "${{K_DATABASE}}", wrangler: ./wrangler.sh, entities: {{ t: {{ read: {{}} }} }} }}
files: {{ connector: localfiles, root: "${{K_PATH}}", entities: {{ t: {{ read: {{ path: "${{K_TOKEN}}*.csv" }} }}, v: {{ read: {{ path: v.csv, columns: {{ a: int }} }} }} }} }}
good: {{ connector: sqlite, path: good.db, entities: {{ t: {{ read: {{}} }} }} }}
"""
NAMES = ["echo", "closed", "nohost", "shop", "lite", "litebad", "duck", "odbc", "odbcpg", "nodriver", "nodsn", "server", "edge", "files", "good"]
PIPELINES = {"p": "INSERT INTO {{ sink('echo', 'public.out') }}\nSELECT '{{ env('K_TOKEN') }}' AS v, '{{ var('v') }}' AS w FROM {{ source('good', 't') }}",
             "q": "SELECT CAST('{{ env('K_PASSWORD') }}' AS INTEGER) AS v FROM {{ source('good', 't') }}",
             "r": "INSERT INTO {{ sink('lite', 't') }}\nSELECT 1 AS v", "s": "INSERT INTO {{ sink('files', 't') }}\nSELECT '{{ env('K_TOKEN') }}' AS v"}

URLS = [f"postgres://u:{IN_URL}@127.0.0.1:1/d", f"postgres://u:{IN_URL}@[::1/d", f"postgres://u:{IN_URL}@127.0.0.1:notaport/d", f"postgres://u:{IN_URL}@/d?x=%zz",
        f"mysql://u:{IN_URL}@127.0.0.1:1/d", f"mysql://u:{IN_URL}@@host/d", f"postgres:/u:{IN_URL}@h/d", f"odbc:Driver=none;PWD={IN_URL}",
        f"nosuch://u:{IN_URL}@h/d", f"sqlserver://u:{IN_URL}@127.0.0.1:1/d"]

# What stands for a placeholder of a command's synopsis: a list of alternatives.
PLACES = {"SRC": [*NAMES, *URLS], "A": [*NAMES, *URLS[:5]], "B": ["good"], "CONNECTION": [""], "CONN.ENTITY": ["echo.public.t", "files.t", "litebad.t"], "FILE": ["connections.yml"],
          "PATH": ["connections.yml"], "NAME": ["none"], "URL": URLS, "CODE": ["PZ0330"], "DIR": ["made"], "KEY": ["echo.public.t"], "QUERY": ['{"source_model": "m"}', "@connections.yml"],
          "SHELL": ["bash"]}
OPTIONAL = {"NAME": [""], "CODE": [""], "URL": URLS, "SRC": ["", *NAMES]}
# Words that a command needs to get anywhere.
NEEDS = {"run": [["--all"], ["--all", "--events", "ev.ndjson"]], "retry": [[], ["--full-refresh"]], "validate": [[], ["--connect"], ["--connect", "--strict"]],
         "contract import": [["--connection", "echo"]], "contract infer": [["--connect"]], "contract export": [[], ["--servers"]], "state set": [["--value", "1", "--yes"]], "state clear": [["--yes"]],
         "state rollback": [["--to-run", "x", "--yes"]], "models import": [["--from", "dbt", "--datasource", "echo"]], "ingest": [["--datasource", n] for n in NAMES],
         "test": [[], ["--events", "-"]], "query": [["--datasource", "echo"], []], "migrate": [[], ["--apply"]], "schema accept": [[]], "record": [[]], "connections test": [[]],
         "metadata import": [["--from", n] for n in NAMES + URLS[:4]], "migrate baseline": [[], ["--yes"]]}
# These stay until they are ended.
SERVERS = {"serve": ["--port", "0"], "mcp": []}


class Suite:
    def __init__(self, args, folder):
        self.args, self.folder, self.passed, self.failed = args, folder, 0, 0
        self.server = Server(("127.0.0.1", 0), EchoingPostgres)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "PGCONNECT_TIMEOUT": "3", **SECRETS}
        self.template = folder / "template"
        self.make(self.template)

    def make(self, p: Path):
        (p / "pipelines").mkdir(parents=True)
        (p / "migrations").mkdir()
        (p / "project.yml").write_text("name: quiet\nversion: 1.0.0\non_source_drift: warn\nvars: {v: \"${K_TOKEN}\"}\nengine: {node_timeout: 20s}\n")
        (p / "connections.yml").write_text(CONNECTIONS.format(port=self.server.server_address[1], literal=LITERAL))
        for name, text in PIPELINES.items():
            (p / f"pipelines/{name}.sql").write_text(text)
        (p / "wrangler.sh").write_text(WRANGLER)
        (p / "wrangler.sh").chmod(0o755)
        (p / f"{SECRETS['K_PATH']}.db").write_text("no database at all")
        (p / SECRETS["K_PATH"]).mkdir()
        (p / SECRETS["K_PATH"] / "v.csv").write_text(f"a\n{SECRETS['K_TOKEN']}x\n")
        (p / "models/echo").mkdir(parents=True)
        (p / "models/echo/m.yml").write_text("name: m\nsql_table: t\ncolumns: [{name: a, type: INT}]\n")
        (p / "metadata").mkdir()
        (p / "metadata/e.yml").write_text("children: [{object.entity: {name: E, children: [{field.int: a}]}}]\n")
        subprocess.run(["sqlite3", p / "good.db", "CREATE TABLE t (a BIGINT); INSERT INTO t VALUES (1);"], check=True)

    def commands(self):
        """The synopsis of every command, from the pages that the program itself writes."""
        pages = self.folder / "pages"
        subprocess.run([self.args.kedge, "-C", self.folder, "reference", pages], check=True, capture_output=True, env=self.environment)
        for page in sorted((pages / "commands").glob("*.md")):
            text = page.read_text()
            synopsis = re.search(r"^```\nkedge (.*)$", text, re.M)
            if synopsis:
                words = synopsis.group(1).split(" [options]")
                formats = re.search(r"`--format ([^`]*)`", text)
                yield words[0], words[1].split() if len(words) > 1 else [], (formats.group(1).replace("\\", "").split("|") if formats else [])

    def calls(self, name, places):
        variants = [[]]
        for place in places:
            optional = place.startswith("[")
            word = place.strip("[].").removesuffix("...")
            known = OPTIONAL.get(word) if optional and word in OPTIONAL else PLACES.get(word)
            if known is None:
                return None
            if optional and word not in OPTIONAL:
                known = ["", *known]
            variants = [v + ([w] if w else []) for v in variants for w in known]
        return [[*name.split(), *needs, *v] for needs in NEEDS.get(name, [[]]) for v in variants]

    def run(self, words, folder):
        try:
            done = subprocess.run([self.args.kedge, "-C", folder, *words], capture_output=True, stdin=subprocess.DEVNULL, env=self.environment, timeout=60, cwd=folder)
            return done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"") + (late.stderr or b""), "time-out"

    def serve(self, words, folder, asks):
        process = subprocess.Popen([self.args.kedge, "-C", folder, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, cwd=folder)
        try:
            out, err = process.communicate(asks, timeout=6)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
        return out + err

    def leaks(self, output, folder, asked_for=()):
        found = [f"output: {self.around(output, p)}" for p in PATTERNS if p in output and p not in asked_for]
        for path in folder.rglob("*"):
            inside = str(path.relative_to(folder))
            known = self.template / inside
            if not path.is_file() or inside.endswith((".duckdb", ".wal", ".parquet")):
                continue   # rows are the data itself
            if known.is_file() and known.read_bytes() == path.read_bytes():
                continue
            content = path.read_bytes()
            found += [f"{inside}: {self.around(content, p)}" for p in PATTERNS if p in content]
        return found

    @staticmethod
    def around(text, pattern):
        at = text.find(pattern)
        return text[max(0, at - 60):at + len(pattern) + 20].decode("utf-8", "replace")

    def check(self, words, formats):
        for form in ["", *[f for f in formats if f in ("json", "sarif", "junit", "github", "html")]]:
            folder = self.folder / "work"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.template, folder)
            line = [*words, "--format", form] if form else words
            if "-" in words and form:
                continue
            output, code = self.run(line, folder)
            shown = " ".join(line).replace(IN_URL, "***")
            # Where a database lies is what --servers asks for; K_TOKEN is in the name of a host.
            problems = self.leaks(output, folder, set().union(*(forms(SECRETS[k]) for k in ("K_DATABASE", "K_PATH", "K_TOKEN"))) if "--servers" in words else ())
            if code == "time-out":
                problems.append("took more than 60 s")
            if isinstance(code, int) and code < 0:
                problems.append(f"ended by signal {-code}")
            self.judge(shown, problems)

    def judge(self, name, problems):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        if problems:
            print(f"FAIL {name}: {problems[0][:400]}" + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""), flush=True)
        elif self.args.verbose:
            print(f"pass {name}", flush=True)

    def all(self):
        seen = 0
        for name, places, formats in self.commands():
            seen += 1
            if self.args.only and self.args.only != name:
                continue
            if name in SERVERS:
                folder = self.folder / "work"
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(self.template, folder)
                asks = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"source":"%s","datasource":"%s"}}}\n' % (i, t, n.encode(), n.encode())
                                for i, (t, n) in enumerate((t, n) for t in (b"inspect", b"check", b"validate_models", b"query") for n in NAMES[:8])) if name == "mcp" else b""
                self.judge(name, self.leaks(self.serve([name, *SERVERS[name]], folder, asks), folder))
                continue
            calls = self.calls(name, places)
            if calls is None:
                self.judge(name, [f"this test does not know what to give for {places}"])
                continue
            for words in calls:
                self.check(words, formats)
        self.judge("the command table", [] if seen > 50 else [f"only {seen} commands were found"])
        # The patterns are found where they are: the search itself works.
        probe = self.folder / "probe"
        shutil.copytree(self.template, probe)
        (probe / "leak.txt").write_text("x" + SECRETS["K_PASSWORD"])
        self.judge("the search finds a secret", [] if self.leaks(b"", probe) and self.leaks(LITERAL.encode(), self.template) else ["it does not"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--only")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    args.kedge = os.path.abspath(args.kedge)
    folder = Path(tempfile.mkdtemp(prefix="kedge-secrets-"))
    suite = Suite(args, folder)
    try:
        suite.all()
    finally:
        suite.server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 0 if suite.passed and not suite.failed else 1


if __name__ == "__main__":
    sys.exit(main())
