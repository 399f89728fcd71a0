#!/usr/bin/env python3
"""REST, MCP (stdio and HTTP, with the official SDK client) and the command line on one project: the
same objects everywhere, and nothing offered that deletes. Prints `N passed, N failed`."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--node-modules", required=True)
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
# With a number whose digits a float does not hold.
NOTICE = '{"vesselName": "Anna \\"&\\" B", "callSign": "PA1", "draughtM": 4.250000000000000000001, "stays": [{"berthCode": "B2"}]}'
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
    judge_templates()
    judge_words()
    with tempfile.TemporaryDirectory() as name:
        judge_slow(pathlib.Path(name))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def judge_leftovers(server):
    """What a request leaves unread is never read as the next one: one answer, then the end of the connection."""
    smuggled = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    large = "".join(f"{len(smuggled) * 3000:x}\r\n{smuggled * 3000}\r\n" for _ in range(20)) + "0\r\n\r\n"
    for name, head, body in (("GET with a body", "GET /health", smuggled), ("HEAD with a body", "HEAD /health", smuggled),
                             ("OPTIONS with a body", "OPTIONS /health", smuggled), ("a method of another world", "BREW /pot", smuggled),
                             ("a malformed request line", "GET", smuggled), ("chunks beyond the limit", "POST /check", large)):
        length = "Transfer-Encoding: chunked" if body is large else f"Content-Length: {len(body)}"
        with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=30) as connection:
            try:
                connection.sendall(f"{head} HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n{body}".encode())
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
            connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            try:
                answer = connection.recv(1 << 16)
            except OSError as error:
                answer = str(error).encode()
        check(f"no body: {path}", answer.startswith(b"HTTP/1.1 200 "), answer[:200])


def raw(server, head, body=b""):
    with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=30) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        answer = b""
        try:
            while part := connection.recv(1 << 16):
                answer += part
        except OSError:
            pass
    return answer


def judge_framing(server):
    """Requests whose end is a matter of opinion are refused, and every answer has its id."""
    host = "Host: localhost\n"
    for name, head, status in (
            ("length that is no number", f"POST /check HTTP/1.1\n{host}Content-Length: abc", 400),
            ("negative length", f"POST /check HTTP/1.1\n{host}Content-Length: -1", 400),
            ("two lengths", f"POST /check HTTP/1.1\n{host}Content-Length: 2\nContent-Length: 2", 400),
            ("length and chunks", f"POST /check HTTP/1.1\n{host}Content-Length: 5\nTransfer-Encoding: chunked", 400),
            ("another encoding", f"POST /check HTTP/1.1\n{host}Transfer-Encoding: gzip", 400),
            ("two hosts", f"GET /health HTTP/1.1\n{host}{host.strip()}", 400),
            ("no host", "GET /health HTTP/1.1", 400),
            ("a method of another world", f"BREW /pot HTTP/1.1\n{host.strip()}", 405),
            ("no request line", "GET", 400),
            ("HTTP/1.0 without a host", "GET /health HTTP/1.0", 200)):
        answer = raw(server, head, b"0\r\n\r\n")
        check(f"framing: {name}", answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:120])
        check(f"framing: {name}: request id", b"\nX-Request-Id: " in answer, answer[:300])


def judge_broken_model(server, project):
    """A model file that cannot be read is told by every surface that lists models."""
    broken = project / "models/main/broken.yml"
    broken.write_text("name: broken\nsql_table: [\n")
    listed = run(project, "models", "list")
    status, body = server.json("GET", "/models")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_models", "arguments": {}}}
    result = server.json("POST", "/mcp", call)[1]["result"]
    broken.unlink()
    check("a broken model: command line", listed.returncode == 2 and "broken.yml" in listed.stderr, listed.stderr)
    check("a broken model: REST", status == 422 and "broken.yml" in json.dumps(body["problems"]) and body["error"] == body["problems"][0]["code"]
          and [model["name"] for model in body["models"]] == ["crates"], body)
    check("a broken model: MCP", result["isError"] and "broken.yml" in json.dumps(result), result)


def judge_foreign(server):
    """A page of the world must not read a server on loopback, whatever name it reaches it by."""
    for name, headers, status in (("a name that was made to point here", {"Host": "evil.example.org"}, 403),
                                  ("a name that begins like loopback", {"Host": "127.evil.example.org"}, 403),
                                  ("a page elsewhere", {"Origin": "https://evil.example.org"}, 403),
                                  ("localhost", {"Host": "LOCALHOST:1"}, 200), ("IPv6", {"Host": "[::1]:1"}, 200)):
        check(f"foreign: {name}", server.ask("GET", "/models", headers=headers)[0] == status)


def judge_secrets(server, project):
    """A URL where a name is asked for is refused, and its password is not repeated."""
    url = "postgres://u:pa55w0rd@127.0.0.1:1/x"
    for path, body in (("/impact", {"connection": url, "drop_tables": ["t"]}), ("/diff", {"from": url, "to": url}),
                       ("/inspect", {"source": url}), ("/verify", {"connection": url}), ("/query", {"source_model": url}),
                       ("/query", {"source_model": "x", "data_source": url}), ("/query", {"name": "x", "data_source": "db:" + url}),
                       ("/query", {"source_model": "crates", "measures": [url]}),
                       ("/query", {"source_model": "crates", "dimensions": ["id"], "filters": [url]}),
                       ("/query", {"source_model": "crates", "dimensions": ["id"], "order": [{"column": url}]}),
                       ("/query", {"queries": [{"source_model": "crates", url: 1}]}),
                       ("/templates/x/render", {url: url}), ("/templates/verify", {"templates": [url]}),
                       ("/validate-models", {"data_source": url}), ("/ingest", {"data_source": url}),
                       ("/check", {"only": [url]}), ("/check", {url: 1})):
        status, text, _ = server.ask("POST", path, body)
        check(f"secrets: {path} {json.dumps(body)[:60]}", status >= 400 and b"pa55w0rd" not in text, text[:300])
    for arguments in (["impact", "--db", url, "--drop-table", "t"], ["impact", "--db", url, "--pending"], ["verify", "--db", url],
                      ["diff", url, "metadata:"], ["inspect", url], ["snapshot", url], ["record", url], ["log", url],
                      ["contract", "infer", url], ["contract", "accept", url], ["connections", "test", url], ["query", url],
                      ["migrate", "--db", url], ["migrate", "status", "--db", url], ["validate-models", "--datasource", url],
                      ["ingest", "--datasource", url], ["check", "--only", url], ["check", "--baseline", url],
                      ["explain", url], ["models", "show", url], ["init", "--from", url], ["verify", "--databases", url],
                      ["impact", "--contracts-since", url], ["render", url], ["run", url]):
        for form in ([], ["--format", "json"]):
            done = run(project, *arguments, *form)
            check(f"secrets: {' '.join(arguments)[:30]}", "pa55w0rd" not in done.stdout + done.stderr,
                  done.stdout + done.stderr)


SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000000) SELECT i FROM n"


def judge_slow(project):
    """A query without end: stopped by the connection's limit, in nobody's way, and SIGTERM does not wait for it."""
    make_project(project)
    (project / "models/main/endless.yml").write_text(
        f"name: endless\nsql: {SLOW}\ncolumns:\n  - {{name: i, type: INT}}\n")
    query = {"source_model": "endless", "measures": ["*:count"]}
    process = subprocess.Popen([kedge, "-C", str(project), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(**message):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()

    for number in (1, 2):
        say(id=number, method="tools/call", params={"name": "query", "arguments": query})
    say(method="notifications/cancelled", params={"requestId": 1})
    begin = time.monotonic()
    say(id=3, method="ping")
    check("mcp: a ping does not wait", json.loads(process.stdout.readline())["id"] == 3 and time.monotonic() - begin < 10)
    process.kill()
    process.communicate()
    judge_long_line(project)
    judge_taken_back(project, query)
    judge_hang_up(project, query)
    server = Server(project)
    answers = []
    caller = threading.Thread(target=lambda: answers.append(raw(server, "POST /query HTTP/1.1\nHost: localhost\nContent-Length: "
                                                                + str(len(json.dumps(query))), json.dumps(query).encode())))
    caller.start()
    time.sleep(0.5)
    begin = time.monotonic()
    server.__exit__()
    took = time.monotonic() - begin
    check("SIGTERM does not wait for a query without end", server.exit == 0 and took < 15, f"{server.exit} {took}")
    check("it is ended, not cut off", not any("cut off" in line for line in server.lines), server.lines)
    caller.join()
    check("the stop is not the query's fault", b'"ERR_CANCELLED"' in answers[0] and answers[0].startswith(b"HTTP/1.1 502 "), answers)
    messages = [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "query", "arguments": query}}
                for number in (1, 2)] + [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}]
    done = subprocess.run([kedge, "-C", str(project), "mcp"], input="".join(json.dumps(m) + "\n" for m in messages),
                          capture_output=True, text=True, timeout=100)
    check("the limit of a declared connection", "took too long" in done.stdout, done.stdout)
    check("mcp: what was cancelled gets no answer, all else does", [json.loads(line)["id"] for line in done.stdout.splitlines()] == [2],
          done.stdout)


def judge_taken_back(project, query):
    """notifications/cancelled ends the query itself: nothing is left that the end of the input would wait for."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": query}}
    process = subprocess.Popen([kedge, "-C", str(project), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(json.dumps(call) + "\n")
    process.stdin.flush()
    time.sleep(1)
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}) + "\n")
    begin = time.monotonic()
    said, _ = process.communicate(timeout=60)
    took = time.monotonic() - begin
    check("mcp: a cancelled query ends", process.returncode == 0 and said == "" and took < 15, f"{process.returncode} {took} {said}")


def judge_long_line(project):
    """A line longer than a body of serve may be is refused by the protocol's own error, and the next one is answered."""
    ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    long = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"pad": "x" * (1 << 20)}})
    full = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"pad": ""}})
    full = full.replace('""', json.dumps("x" * ((1 << 20) - len(full))))
    done = subprocess.run([kedge, "-C", str(project), "mcp"], input=f"{long}\n{ping}\n{full}\n", capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    check("mcp: a line that is too long", [(a["id"], a.get("error", {}).get("code")) for a in answers] == [(None, -32600), (2, None), (3, None)]
          and "1048576 bytes" in answers[0]["error"]["message"], done.stdout[:400])


def judge_hang_up(project, query):
    """A client that hangs up gives its place back: the one place at work serves the next at once, long before the limit."""
    body = json.dumps(query).encode()
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": query}}).encode()
    with Server(project, "--concurrency", "1") as server:
        for path, sent in (("/query", body), ("/mcp", call)):
            with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=30) as connection:
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(sent)}\r\n\r\n".encode() + sent)
                time.sleep(0.7)
            begin = time.monotonic()
            status, answer = server.json("POST", "/query", {"source_model": "crates", "measures": ["*:count"]})
            took = time.monotonic() - begin
            check(f"hang-up: {path}", status == 200 and answer["data"] == [{"crates._count": 2}] and took < 9, f"{status} {took}")


def judge_protocol(server):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for version, status in (("2025-06-18", 200), ("2024-11-05", 200), ("1900-01-01", 400)):
        check(f"protocol version '{version}'", server.ask("POST", "/mcp", ping, {"MCP-Protocol-Version": version})[0] == status)


def judge_rest(server, project, cli_entries, cli_check):
    check("health", server.json("GET", "/health") == (200, {"status": "ok"}))
    check("validate", server.json("POST", "/validate-models") == (200, cli_entries))
    check("validate of nothing", server.json("POST", "/validate-models", {"data_source": "nowhere"})[0] == 404)
    status, body = server.json("POST", "/validate-models", {"data_sorce": "x"})
    check("unknown key", (status, body["error"]) == (400, "unknown_key"), body)
    check("check", server.json("POST", "/check", {})[1]["findings"] == cli_check["findings"])
    status, body = server.json("POST", "/impact", {"connection": "main", "drop_columns": ["crates.lot"]})
    check("impact", status == 200 and body["changes"] == ["drop column crates.lot"], body)
    for path, body in (("/contracts/validate", {"select": ["nothing"]}), ("/contracts/validate", {"select": ["nothing"], "connect": True}),
                       ("/contracts/drift", {"entities": ["main.nothing"]})):
        status, answer = server.json("POST", path, body)
        check(f"names nothing: {path} {body}", status == 404 and answer["error"] in ("PZ0210", "PZ0127"), answer)
    status, body = server.json("POST", "/ingest", {"data_source": "main", "datasource": "other"})
    check("two spellings that differ", (status, body["error"]) == (422, "ERR_USAGE"), body)
    check("malformed", server.json("POST", "/check", raw=b"{")[0] == 400)
    check("deep nesting", server.json("POST", "/check", raw=b"[" * 100000)[0] == 400)
    judge_leftovers(server)
    judge_no_body(server)
    judge_framing(server)
    judge_foreign(server)
    judge_secrets(server, project)
    judge_broken_model(server, project)
    judge_protocol(server)
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
    for body in ({"only": ["code"], "skip": ["code"]}, {"only": ["code", "docs"], "skip": ["docs", "models", "code"]}):
        check(f"no guard is left: {body}", server.json("POST", "/check", body)[0] == 422)
    run(project, "record", "main")
    day = time.strftime("%Y-%m-%d", time.gmtime())
    for moment in (day, f"{day}T23:59:59Z"):
        status, answer = server.json("POST", "/inspect", {"source": f"main@{moment}"})
        check(f"a recorded shape: {moment}", (status, answer) == server.json("POST", "/inspect", {"source": "main"}), answer)
        status, answer = server.json("POST", "/diff", {"from": f"main@{moment}", "to": "main"})
        check(f"from a recorded shape: {moment}", status == 200 and answer == json.loads(
            run(project, "diff", f"main@{moment}", "main", "--format", "json").stdout), answer)
    check("nothing was recorded by then", server.json("POST", "/inspect", {"source": "main@2001-01-01"})[0] == 404)
    for source in ("main@someday", "main@2001-13-40", "../x@2001-01-01", "postgres://u@2001-01-01", "@2001-01-01", "main@"):
        check(f"no source: {source}", server.json("POST", "/inspect", {"source": source})[0] in (400, 404))
    for path, body in (("/check", {"only": []}), ("/diff", {"from": "main", "to": "metadata:", "scope": []}), ("/inspect", {"source": "main", "tables": []}),
                       ("/contracts/validate", {"select": []}), ("/contracts/drift", {"entities": []}), ("/templates/verify", {"templates": []}),
                       ("/ingest", {"data_source": "main", "include_tables": []})):
        status, answer = server.json("POST", path, body)
        check(f"a list of nothing is not all: {path}", status == 400 and "is an empty list" in answer["message"], answer)
    check("model", server.json("GET", "/models/main/crates")[1]["name"] == "crates")
    check("no model", server.json("GET", "/models/main/nothing")[0] == 404)
    check("explain", server.json("GET", "/codes/PZ0331")[1]["code"] == "PZ0331")
    metrics = server.ask("GET", "/metrics")[1].decode()
    check("metrics", 'kedge_requests_total{endpoint="GET /health",status="200"} 3' in metrics, metrics[:300])
    check("request ids", len(server.ask("GET", "/health")[2]["X-Request-Id"]) == 16)


def judge_words():
    """What the command line says to words that it does not know, and the files that it makes."""
    with tempfile.TemporaryDirectory() as name:
        project = pathlib.Path(name)
        check("init", run(project, "init").returncode == 0)
        text = (project / "connections.yml").read_text()
        check("what init writes can be uncommented", not text.rstrip().endswith("{}") and run(project, "connections", "list").returncode == 0, text)
        sample = "".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("# ") and (line[2] == " " or line.endswith("main:")))
        (project / "connections.yml").write_text(text + sample)
        done = run(project, "connections", "list", env={"APP_PASSWORD": "x"})
        check("and then names its sample", done.returncode == 0 and done.stdout.startswith("main"), done.stdout + done.stderr)
        done = run(project, "chekc")
        check("a command that is none", done.returncode == 2 and "there is no command 'chekc', did you mean 'check'?" in done.stderr, done.stderr)
        done = run(project, "log", "--about", "nope.x")
        check("a history of nothing", "nothing that was recorded is about 'nope.x'" in done.stdout, done.stdout)
        check("a history", "nothing is recorded" in run(project, "log").stdout)
        done = run(project, "log", "nope")
        check("a history of a name that has none", done.returncode == 2 and "nothing of 'nope' was recorded" in done.stderr, done.stdout + done.stderr)
        for baseline, place in (('{"findings":[{"code":1}]}', "b.json:1:22"), ('{"findings": [7]}', "b.json:1:15"), ("[]", "b.json:1:1"),
                                ('{"findings":\n {}}', "b.json:2:2"), ('{"findings": [', "b.json:1"), ('{"findings":[{"message":"m","guard":"g"}]}', "b.json:1:14"),
                                ('{"findings":[{"code":"PZ9","message":"m","guard":"g"}]}', "b.json:1:22"),
                                ('{"findings":[{"code":"PZ0331","message":"m","guard":"g","notes":[1]}]}', "b.json:1:66")):
            (project / "b.json").write_text(baseline)
            done = run(project, "check", "--baseline", "b.json")
            check(f"a baseline that is none: {baseline}", done.returncode == 2 and place in done.stderr and "ERR_IO" in done.stderr, done.stderr)
        done = run(project, "diff", "main@someday", "empty:")
        check("a date that is none", done.returncode == 2 and "'someday' is no date" in done.stderr, done.stderr)
        helps = run(project, "--help").stdout.splitlines()
        bare = [line for line in helps[helps.index("Subcommands:") + 1:] if len(line.split()) == 1]
        check("each command says what it is for", bare == [], bare)


def judge_templates():
    """GET /templates, POST /templates/{name}/render and /templates/verify, on the harbour example."""
    with tempfile.TemporaryDirectory() as name:
        project = pathlib.Path(name) / "harbour"
        shutil.copytree(root / "examples/harbour", project)
        listed = json.loads(run(project, "templates", "list", "--format", "json").stdout)
        with Server(project) as server:
            check("templates", server.json("GET", "/templates") == (200, listed), listed)
            template = listed[0]["name"]
            status, body = server.json("POST", "/templates/verify", {"templates": [template]})
            check("templates are fine", (status, body["checked"]["templates"], body["summary"]["errors"]) == (200, 1, 0), body)
            check("no such template", server.json("POST", "/templates/verify", {"templates": ["nope"]})[0] == 404)
            status, body = server.json("POST", f"/templates/{template}/render", {})
            check("a payload without what it needs", status == 422 and body["error"] == "ERR_PAYLOAD_INVALID" and body["problems"], body)
            (project / "payload.json").write_text(NOTICE)
            rendered = run(project, "render", template, "--payload", "payload.json").stdout
            parts = json.loads(rendered) if len(listed[0]["parts"]) > 1 else {listed[0]["parts"][0]["part"]: rendered}
            for spelling in (template, template.replace(":", "%3A"), template.rsplit("::", 1)[-1]):
                status, body = server.json("POST", f"/templates/{spelling}/render", raw=NOTICE.encode())
                check(f"rendered as on the command line: {spelling}", status == 200 and body["parts"] == parts, body)
            check("render needs a body", server.json("POST", f"/templates/{template}/render")[0] == 400)
            check("a body that is no object", server.json("POST", f"/templates/{template}/render", raw=b"[]")[0] == 400)
            check("rendering what is not there", server.json("POST", "/templates/nope/render", {})[0] == 404)
            text = next((project / "templates").rglob("*.mustache"))
            text.write_text(text.read_text() + "{{vesel.nmae}}")
            status, body = server.json("POST", "/templates/verify")
            check("errors are 422 with the findings", status == 422 and [f["code"] for f in body["findings"]] == ["ERR_VAR_NOT_ON_PAYLOAD"], body)
            status, body = server.json("POST", f"/templates/{template}/render", raw=NOTICE.encode())
            check("no render of a broken template", status == 422 and body["error"] == "ERR_RENDER_VERIFY_FAILED" and
                  [f["path"] for f in body["findings"]] == ["vesel.nmae"], body)
            (project / "metadata/zz.yml").write_text("metadata: [\n")
            status, body = server.json("POST", "/templates/verify")
            check("metadata that does not load", status == 422 and body["errors"][0]["file"] == "metadata/zz.yml", body)


def judge_token(project):
    refused = run(project, "serve", "--host", "0.0.0.0", "--port", "0", env={"KEDGE_TOKEN": ""})
    check("no token, no listening", refused.returncode == 2 and "ERR_TOKEN_REQUIRED" in refused.stderr, refused.stderr)
    with Server(project, env={"KEDGE_TOKEN": "s3cret-t0ken"}) as server:
        check("401", server.ask("POST", "/check", {})[0] == 401)
        check("wrong token", server.ask("POST", "/check", {}, {"Authorization": "Bearer s3cret-t0kex"})[0] == 401)
        check("token", server.ask("POST", "/check", {}, {"Authorization": "Bearer s3cret-t0ken"})[0] == 200)
        check("health needs none", server.ask("GET", "/health")[0] == 200)
        check("the page comes without, to ask for it", b"<!doctype html>" in server.ask("GET", "/")[1].lower())
        check("its data does not", server.ask("GET", "/page/data")[0] == 401)
        for scheme in ("bearer", "BEARER"):
            check(f"scheme {scheme}", server.ask("GET", "/models", headers={"Authorization": f"{scheme} s3cret-t0ken"})[0] == 200)
        for given in ("Basic s3cret-t0ken", "s3cret-t0ken", "Bearer", "Bearer "):
            check(f"not '{given}'", server.ask("GET", "/models", headers={"Authorization": given})[0] == 401)
        check("any host with a token", server.ask("GET", "/models", headers={
            "Authorization": "Bearer s3cret-t0ken", "Host": "kedge.example.org"})[0] == 200)
    zero = run(project, "serve", "--port", "0", "--concurrency", "0")
    check("no place at work at all", zero.returncode == 2 and "ERR_USAGE" in zero.stderr, zero.stderr)


sys.exit(main())
