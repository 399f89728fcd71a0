#!/usr/bin/env python3
"""REST, MCP (stdio and HTTP, with the official SDK client) and the command line on one project: the
same objects everywhere, and nothing offered that deletes. Prints `N passed, N failed`."""
import argparse
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--node-modules", required=True)
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
here = pathlib.Path(__file__).resolve().parent
passed, failed = 0, 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {detail}"[:600])


def run(project, *arguments, env=None):
    return subprocess.run([kedge, "-C", str(project), *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})}, timeout=60)


def make_project(folder):
    database = folder / "yard.db"
    connection = sqlite3.connect(database)
    connection.executescript("CREATE TABLE crates (id INTEGER PRIMARY KEY, kg REAL, lot TEXT);"
                             "INSERT INTO crates VALUES (1, 2.5, 'a'), (2, 3.5, 'b');")
    connection.close()
    (folder / "connections.yml").write_text("main:\n  connector: sqlite\n  path: yard.db\n")
    (folder / "models/main").mkdir(parents=True)
    (folder / "models/main/crates.yml").write_text(
        "name: crates\nsql_table: crates\ncolumns:\n  - {name: id, type: INT, primary_key: true}\n"
        "  - {name: kg, type: DOUBLE}\n  - {name: tons, sql: kg / 1000, type: DOUBLE}\n")
    return database


class Server:
    """`kedge serve` on a free port for the length of a with block."""

    def __init__(self, project, *arguments, env=None):
        self.process = subprocess.Popen([kedge, "-C", str(project), "serve", "--port", "0", *arguments],
                                        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(env or {})})
        line = self.process.stderr.readline()
        self.url = line.split()[-1].rstrip("/")
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.exit = self.process.wait(timeout=20)

    def ask(self, method, path, body=None, headers=None, raw=None):
        data = raw if raw is not None else (json.dumps(body).encode() if body is not None else None)
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def json(self, method, path, body=None, **more):
        status, text, _ = self.ask(method, path, body, **more)
        return status, json.loads(text)


def judge_mcp(kind, result, cli_entries, cli_check):
    names = {tool["name"] for tool in result["tools"]}
    needed = {"validate_models", "ingest_datasource_models", "check", "impact", "diff", "inspect", "explain",
              "query", "list_models", "inspect_model"}
    check(f"{kind}: tools", needed <= names, names)
    check(f"{kind}: no apply tool", not any("apply" in name or "delete" in name for name in names), names)
    for tool in result["tools"]:
        read_only = tool["annotations"]["readOnlyHint"]
        check(f"{kind}: {tool['name']} annotation", read_only == (tool["name"] != "ingest_datasource_models"))
    schema = next(tool for tool in result["tools"] if tool["name"] == "validate_models")["inputSchema"]
    check(f"{kind}: input schema", schema == {
        "type": "object", "properties": {"data_source": {"type": ["string", "null"]}, "deep": {"type": "boolean"}},
        "additionalProperties": False}, schema)
    check(f"{kind}: same entries as the command line", result["validate"]["json"] == cli_entries)
    check(f"{kind}: unknown data source", result["unknown"]["isError"] and
          result["unknown"]["json"]["error"] == "unknown_data_source", result["unknown"])
    check(f"{kind}: unknown key", result["badKey"]["isError"] and result["badKey"]["json"]["error"] == "unknown_key")
    check(f"{kind}: same findings", result["check"]["json"]["findings"] == cli_check["findings"])
    check(f"{kind}: impact of what is gone", result["impact"]["isError"], result["impact"])
    check(f"{kind}: URLs are refused", result["url"]["isError"] and result["url"]["json"]["error"] == "ERR_SOURCE")
    check(f"{kind}: resources", "kedge://models/main/crates.yml" in result["resources"], result["resources"])
    check(f"{kind}: resource text", result["resource"].startswith("name: crates"))


def main():
    with tempfile.TemporaryDirectory() as name:
        project = pathlib.Path(name)
        database = make_project(project)
        connection = sqlite3.connect(database)
        connection.execute("ALTER TABLE crates DROP COLUMN kg")
        connection.close()
        cli_entries = json.loads(run(project, "validate-models", "--format", "json").stdout)
        cli_check = json.loads(run(project, "check", "--format", "json").stdout)
        check("command line finds the cascade", cli_entries[0]["remove"]["columns"] == ["kg", "tons"], cli_entries)
        client = subprocess.run(["node", str(here / "mcp_client.mjs"), kedge, str(project), options.node_modules],
                                capture_output=True, text=True, timeout=60)
        check("stdio client", client.returncode == 0, client.stderr)
        if client.returncode == 0:
            judge_mcp("stdio", json.loads(client.stdout), cli_entries, cli_check)
        with Server(project) as server:
            client = subprocess.run(["node", str(here / "mcp_client.mjs"), kedge, str(project),
                                     options.node_modules, server.url + "/mcp"], capture_output=True, text=True, timeout=60)
            check("http client", client.returncode == 0, client.stderr)
            if client.returncode == 0:
                judge_mcp("http", json.loads(client.stdout), cli_entries, cli_check)
            judge_rest(server, project, cli_entries, cli_check)
        check("SIGTERM ends it well", server.exit == 0, server.exit)
        judge_token(project)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def judge_leftovers(server):
    """What a request leaves unread is never read as the next one: one answer, then the end of the connection."""
    smuggled = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    large = "".join(f"{len(smuggled) * 3000:x}\r\n{smuggled * 3000}\r\n" for _ in range(20)) + "0\r\n\r\n"
    for name, head, body in (("GET with a body", "GET /health", smuggled), ("HEAD with a body", "HEAD /health", smuggled),
                             ("OPTIONS with a body", "OPTIONS /health", smuggled), ("a method of another world", "BREW /pot", smuggled),
                             ("a malformed request line", "GET", smuggled), ("chunks beyond the limit", "POST /check", large)):
        length = "Transfer-Encoding: chunked" if body is large else f"Content-Length: {len(body)}"
        with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=30) as connection:
            try:
                connection.sendall(f"{head} HTTP/1.1\r\nHost: x\r\n{length}\r\n\r\n{body}".encode())
            except OSError:
                pass  # the server has answered and gone
            answer = b""
            try:
                while part := connection.recv(1 << 16):
                    answer += part
            except OSError:
                pass
        check(f"leftovers: {name}", answer.count(b"HTTP/1.1 ") == (answer != b"") and b"kedge_requests_total" not in answer, answer[:300])
        check(f"leftovers: {name}: an answer", answer.startswith(b"HTTP/1.1 ") or body is large, answer[:100])


def judge_no_body(server):
    """A POST that announces no body has an empty one: it is answered at once, with the connection still open."""
    for path in ("/validate-models", "/check"):
        with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=10) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            try:
                answer = connection.recv(1 << 16)
            except OSError as error:
                answer = str(error).encode()
        check(f"no body: {path}", answer.startswith(b"HTTP/1.1 200 "), answer[:200])


def judge_rest(server, project, cli_entries, cli_check):
    check("health", server.json("GET", "/health") == (200, {"status": "ok"}))
    check("validate", server.json("POST", "/validate-models") == (200, cli_entries))
    check("validate of nothing", server.json("POST", "/validate-models", {"data_source": "nowhere"})[0] == 404)
    status, body = server.json("POST", "/validate-models", {"data_sorce": "x"})
    check("unknown key", (status, body["error"]) == (400, "unknown_key"), body)
    check("check", server.json("POST", "/check", {})[1]["findings"] == cli_check["findings"])
    status, body = server.json("POST", "/impact", {"connection": "main", "drop_columns": ["crates.lot"]})
    check("impact", status == 200 and body["changes"] == ["drop column crates.lot"], body)
    check("malformed", server.json("POST", "/check", raw=b"{")[0] == 400)
    check("deep nesting", server.json("POST", "/check", raw=b"[" * 100000)[0] == 400)
    judge_leftovers(server)
    judge_no_body(server)
    check("large body", server.ask("POST", "/check", raw=b" " * (2 << 20))[0] == 413)
    check("nothing there", server.json("GET", "/nothing")[0] == 404)
    check("wrong method", server.json("DELETE", "/validate-models")[0] == 405)
    check("page", b"<!doctype html>" in server.ask("GET", "/")[1])
    check("page data", server.json("GET", "/page/data")[1]["findings"] != [])
    status, document = server.json("GET", "/openapi.json")
    offered = {(method, path) for path, item in document["paths"].items() for method in item}
    check("openapi", document["openapi"] == "3.1.0" and ("post", "/validate-models") in offered)
    check("nothing deletes", not any(method in ("delete", "put", "patch") for method, _ in offered), offered)
    status, body = server.json("POST", "/ingest", {"datasource": "main"})
    check("ingest", status == 200 and body["additions"][0]["new_columns"] == ["lot"], body)
    check("ingest again", server.json("POST", "/ingest", {"data_source": "main"})[1]["additions"] == [])
    query = {"source_model": "crates", "measures": ["*:count"]}
    status, body = server.json("POST", "/query", query)
    check("query", (status, body.get("data")) == (200, [{"crates._count": 2}]), body)
    status, body = server.json("POST", "/query", {"source_model": "crates", "measures": ["kg:sum"]})
    check("query drift", status == 422 and set(body) == {"error", "models", "to_delete", "original"}, body)
    odd = {**query, "filters": ["lot <> '\u0080\u009f\u007f\ufffe'"]}
    status, body = server.json("POST", "/query", raw=json.dumps(odd, ensure_ascii=False).encode())
    check("characters that YAML does not allow", (status, body.get("data")) == (200, [{"crates._count": 2}]), body)
    check("bad query", server.json("POST", "/query", {"source_model": "crates", "measures": ["nope:sum"]})[0] == 400)
    check("bad query key", server.json("POST", "/query", {"source_modell": "crates"})[0] == 400)
    check("models", [m["name"] for m in server.json("GET", "/models")[1]] == ["crates"])
    check("model", server.json("GET", "/models/main/crates")[1]["name"] == "crates")
    check("no model", server.json("GET", "/models/main/nothing")[0] == 404)
    check("explain", server.json("GET", "/codes/PZ0331")[1]["code"] == "PZ0331")
    metrics = server.ask("GET", "/metrics")[1].decode()
    check("metrics", 'kedge_requests_total{endpoint="GET /health",status="200"} 2' in metrics, metrics[:300])
    check("request ids", len(server.ask("GET", "/health")[2]["X-Request-Id"]) == 16)


def judge_token(project):
    refused = run(project, "serve", "--host", "0.0.0.0", "--port", "0", env={"KEDGE_TOKEN": ""})
    check("no token, no listening", refused.returncode == 2 and "ERR_TOKEN_REQUIRED" in refused.stderr, refused.stderr)
    with Server(project, env={"KEDGE_TOKEN": "s3cret-t0ken"}) as server:
        check("401", server.ask("POST", "/check", {})[0] == 401)
        check("wrong token", server.ask("POST", "/check", {}, {"Authorization": "Bearer s3cret-t0kex"})[0] == 401)
        check("token", server.ask("POST", "/check", {}, {"Authorization": "Bearer s3cret-t0ken"})[0] == 200)
        check("health needs none", server.ask("GET", "/health")[0] == 200)


sys.exit(main())
