#!/usr/bin/env python3
"""`kedge serve` under load with faults: many clients, a PostgreSQL that is killed and restarted, slow queries, oversized
and malformed bodies, cut connections. Every answer is compared with the known one or is a clean error; the server must
neither crash nor leak (an AddressSanitizer build says so at its end). Prints latencies, then `N passed, N failed`.
    run_load.py --kedge PATH [--clients 64] [--seconds 60] [--duckdb-lib PATH]"""
import argparse
import collections
import http.client
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--clients", type=int, default=64)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
SECRET = "Kiel-90-secret"


class Cluster:
    def __init__(self):
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)[0]
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="kld"))
        self.user = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.base, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid}
        subprocess.run([self.programs / "initdb", "-D", self.base / "d", "-U", "kedge", "-A", "trust", "--no-sync"], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.base, **self.user)
        self.start()

    def start(self):
        self.server = subprocess.Popen([self.programs / "postgres", "-D", self.base / "d", "-k", self.base, "-c", "listen_addresses=",
                                        "-c", "fsync=off", "-c", "max_connections=200"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, cwd=self.base, start_new_session=True, **self.user)
        for _ in range(300):
            if self.sql("SELECT 1", check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit("PostgreSQL does not start")

    def sql(self, text, check=True):
        return subprocess.run(["psql", "-h", self.base, "-U", "kedge", "-d", "postgres", "-qc", text], capture_output=True, check=check)

    def kill(self):
        self.server.send_signal(signal.SIGQUIT)  # at once, connections and all
        self.server.wait(timeout=30)

    def close(self):
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait(timeout=30)
        shutil.rmtree(self.base)


def make_project(folder, cluster):
    database = sqlite3.connect(folder / "yard.db")
    database.executescript("CREATE TABLE crates (id INTEGER PRIMARY KEY, kg REAL, lot TEXT);"
                           "INSERT INTO crates VALUES (1, 2.5, 'a'), (2, 3.5, 'b');")
    database.close()
    cluster.sql("CREATE TABLE vessels (id integer PRIMARY KEY, tons numeric(8,1), name text);"
                "INSERT INTO vessels VALUES (1, 10.5, 'Anchor'), (2, 20.0, 'Bulwark');")
    (folder / "project.yml").write_text("name: yard\nversion: 1.0.0\n")
    (folder / "connections.yml").write_text(
        "main:\n  connector: sqlite\n  path: yard.db\n"
        f"port:\n  connector: postgres\n  host: {cluster.base}\n  database: postgres\n  user: kedge\n  password: {SECRET}\n"
        "  command_timeout_seconds: 2\n  connect_timeout_seconds: 2\n")
    for source, name, body in (
            ("main", "crates", "sql_table: crates\ncolumns:\n  - {name: id, type: INT}\n  - {name: kg, type: DOUBLE}\n"
                               "  - {name: gone, type: TEXT}\n"),
            ("port", "vessels", "sql_table: vessels\ncolumns:\n  - {name: id, type: INT}\n  - {name: tons, type: DOUBLE}\n"
                                "  - {name: name, type: TEXT}\n"),
            ("port", "slow", "sql: SELECT id, pg_sleep(1.5)::text AS nap FROM vessels WHERE id < 3\ncolumns:\n"
                             "  - {name: id, type: INT}\n")):
        (folder / "models" / source).mkdir(parents=True, exist_ok=True)
        (folder / "models" / source / f"{name}.yml").write_text(f"name: {name}\n{body}")


CALLS = {
    "validate main": ("POST", "/validate-models", {"data_source": "main"}),
    "validate port": ("POST", "/validate-models", {"data_source": "port"}),
    "query main": ("POST", "/query", {"source_model": "crates", "measures": ["kg:sum", "*:count"]}),
    "query port": ("POST", "/query", {"source_model": "vessels", "measures": ["tons:sum"], "dimensions": ["name"], "order": ["name"]}),
    "models": ("GET", "/models", None),
    "model": ("GET", "/models/main/crates", None),
    "health": ("GET", "/health", None),
    "explain": ("GET", "/codes/PZ0331", None),
    "check": ("POST", "/check", {"only": ["models"]}),
    "inspect": ("POST", "/inspect", {"source": "port"}),
    "mcp": ("POST", "/mcp", {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                             "params": {"name": "validate_models", "arguments": {"data_source": "main"}}}),
}
WEIGHTS = {"validate main": 4, "validate port": 3, "query main": 6, "query port": 6, "models": 3, "model": 3, "health": 2, "explain": 2,
           "check": 1, "inspect": 2, "mcp": 3, "slow": 1, "oversized": 1, "malformed": 2, "cut": 2, "cut answer": 1, "nested": 1}
# What a database that is away, slow or just back may give: never an answer as if all were well, never drift.
AWAY = {"connection_failed", "timeout", "ERR_CONNECT", "ERR_TIMEOUT", "ERR_OVERLOADED", "introspection_failed", "query_failed",
        "ERR_INTROSPECT", "validate_failed", "ERR_DATABASE"}


def plain(kind, document):
    if kind == "check":
        return [{key: finding.get(key) for key in ("code", "guard", "subject")} for finding in document["findings"]]
    return document


class Judge:
    def __init__(self):
        self.lock = threading.Lock()
        self.wrong = []
        self.counts = collections.Counter()
        self.times = collections.defaultdict(list)
        self.known = {}

    def count(self, kind, what, seconds=None):
        with self.lock:
            self.counts[(kind, what)] += 1
            if seconds is not None:
                self.times[kind].append(seconds)

    def fail(self, kind, detail):
        with self.lock:
            self.counts[(kind, "WRONG")] += 1
            if len(self.wrong) < 20:
                self.wrong.append(f"{kind}: {detail}"[:600])


def ask(port, method, path, body, timeout=90):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


def clean_error(status, document):
    if status == 503 and document.get("error") == "ERR_OVERLOADED":
        return True
    if document.get("error") == "validate_failed":
        return status == 422 and document["to_delete"] == [] and all(failure["code"] in AWAY for failure in document["failures"])
    return status in (422, 502, 504, 400, 500) and document.get("error") in AWAY and "message" in document


def judge_call(judge, port, kind):
    method, path, body = CALLS[kind]
    begin = time.monotonic()
    status, text, headers = ask(port, method, path, body)
    took = time.monotonic() - begin
    if SECRET.encode() in text:
        return judge.fail(kind, "the password is in an answer")
    if len(headers.get("X-Request-Id", "")) != 16:
        return judge.fail(kind, f"no request id: {headers}")
    document = json.loads(text)
    if status == 200 and kind == "check" and document["exit_code"] == 2:
        good = all(error["code"] in AWAY for error in document["errors"]) and plain(kind, document) == judge.known[kind]
        judge.count(kind, "a part away", took)
        return None if good else judge.fail(kind, document)
    if status == 200:
        judge.count(kind, 200, took)
        return None if plain(kind, document) == judge.known[kind] else judge.fail(kind, text[:400])
    judge.count(kind, status, took)
    return None if clean_error(status, document) else judge.fail(kind, f"{status} {text[:400]}")


def judge_slow(judge, port):
    begin = time.monotonic()
    status, text, _ = ask(port, "POST", "/query", {"source_model": "slow", "measures": ["*:count"]})
    judge.count("slow", status, time.monotonic() - begin)
    document = json.loads(text)
    if status != 504 and not clean_error(status, document):
        judge.fail("slow", f"{status} {text[:400]}")


def judge_refused(judge, port, kind, body, wanted):
    try:
        status, text, _ = ask(port, "POST", "/check", body)
    except (ConnectionError, http.client.HTTPException):
        return judge.count(kind, "closed")  # the server need not read what it refuses
    judge.count(kind, status)
    if status not in wanted or "error" not in json.loads(text):
        judge.fail(kind, f"{status} {text[:200]}")


def cut(judge, port, rng, whole):
    """Half a request, or a whole one whose answer nobody waits for."""
    body = json.dumps(CALLS["query port"][2]).encode()
    request = b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request if whole else request[:rng.randrange(1, len(request))])
        if not whole and rng.random() < 0.5:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")  # reset, not FIN
    judge.count("cut answer" if whole else "cut", "sent")


def client(judge, port, number, until):
    rng = random.Random(options.seed * 1000 + number)
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    while time.monotonic() < until:
        kind = rng.choices(kinds, weights)[0]
        try:
            if kind in CALLS:
                judge_call(judge, port, kind)
            elif kind == "slow":
                judge_slow(judge, port)
            elif kind == "oversized":
                judge_refused(judge, port, kind, b"{\"only\": [\"" + b"x" * (3 << 20) + b"\"]}", {413})
            elif kind == "malformed":
                judge_refused(judge, port, kind, rng.choice([b"{", b"\xff\xfe", b"[1", b"{\"only\": 5}", b"\"x\"", b"{\"a\":1,\"a\":2}"]), {400})
            elif kind == "nested":
                judge_refused(judge, port, kind, b"[" * 200000, {400})
            else:
                cut(judge, port, rng, kind == "cut answer")
        except (ConnectionError, http.client.RemoteDisconnected):
            judge.count(kind, "closed")  # a client that took longer than the server's patience to send; see most_closed
        except Exception as error:  # pylint: disable=broad-except
            judge.fail(kind, f"{type(error).__name__}: {error}")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def report(judge, seconds):
    print(f"{'call':14} {'count':>7} {'p50 ms':>9} {'p90 ms':>9} {'p99 ms':>9} {'max ms':>9}  answers")
    for kind in WEIGHTS:
        answers = {str(what): count for (name, what), count in sorted(judge.counts.items(), key=str) if name == kind}
        times = judge.times.get(kind, [])
        shown = [f"{percentile(times, share) * 1000:9.1f}" for share in (0.5, 0.9, 0.99, 1)] if times else ["        -"] * 4
        print(f"{kind:14} {sum(answers.values()):7} {' '.join(shown)}  {answers}")
    total = sum(judge.counts.values())
    print(f"{total} requests of {options.clients} clients in {seconds:.0f} s: {total / seconds:.0f}/s")


def main():
    cluster = Cluster()
    judge = Judge()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_project(folder, cluster)
        with open(folder / "serve.err", "w+", encoding="utf-8") as log:
            server = subprocess.Popen([kedge, "-C", str(folder), "serve", "--port", "0"], stderr=log, stdout=subprocess.DEVNULL,
                                      env={**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"})
            for _ in range(200):
                line = (folder / "serve.err").read_text().split()
                if line and line[-1].startswith("http"):
                    break
                time.sleep(0.1)
            port = int(line[-1].rstrip("/").rsplit(":", 1)[1])
            for kind, (method, path, body) in CALLS.items():
                status, text, _ = ask(port, method, path, body)
                if status != 200:
                    problems.append(f"before the load: {kind} gave {status} {text[:300]}")
                judge.known[kind] = plain(kind, json.loads(text))
            begin = time.monotonic()
            until = begin + options.seconds
            threads = [threading.Thread(target=client, args=(judge, port, number, until)) for number in range(options.clients)]
            for thread in threads:
                thread.start()
            kills = 0
            while time.monotonic() + 4 < until:
                time.sleep(min(7, options.seconds / 4))
                cluster.kill()
                kills += 1
                time.sleep(1.5)
                cluster.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - begin
            for kind in CALLS:  # it is as well as before
                try:
                    judge_call(judge, port, kind)
                except Exception as error:  # pylint: disable=broad-except
                    problems.append(f"after the load: {kind}: {error}")
            metrics = ask(port, "GET", "/metrics", None)[1].decode()
            at_work = [line for line in metrics.splitlines() if line.startswith("kedge_requests_under_way")]
            if at_work != ["kedge_requests_under_way 0"] and at_work != ["kedge_requests_under_way 1"]:
                problems.append(f"requests are still under way: {at_work}")
            status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
            memory = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
            descriptors = len(list(pathlib.Path(f"/proc/{server.pid}/fd").iterdir()))
            server.send_signal(signal.SIGTERM)
            try:
                exit_code = server.wait(timeout=60)
            except subprocess.TimeoutExpired:
                server.kill()
                exit_code = "killed: it did not stop"
        said = (folder / "serve.err").read_text()
    cluster.close()
    report(judge, seconds)
    print(f"database killed and restarted {kills} times; peak memory {int(memory) // 1024} MiB; {descriptors} descriptors at the end")
    problems += judge.wrong
    closed = sum(count for (kind, what), count in judge.counts.items() if what == "closed" and kind in CALLS)
    most_closed = sum(judge.counts.values()) // 50
    if closed > most_closed:
        problems.append(f"{closed} connections were closed without an answer; at most {most_closed} may be")
    if exit_code != 0:
        problems.append(f"exit {exit_code}")
    if any(word in said for word in ("AddressSanitizer", "LeakSanitizer", "runtime error")):
        problems.append(said[-3000:])
    if SECRET in said:
        problems.append("the password is on standard error")
    if descriptors > 80:
        problems.append(f"{descriptors} open descriptors after the load")
    for problem in problems:
        print("FAIL", problem)
    wrong = sum(count for (_, what), count in judge.counts.items() if what == "WRONG")
    print(f"{sum(judge.counts.values()) - wrong} passed, {wrong + len(problems) - len(judge.wrong)} failed")
    return 1 if problems else 0


sys.exit(main())
