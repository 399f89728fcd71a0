#!/usr/bin/env python3
"""csv -> PostgreSQL and PostgreSQL -> parquet of a 12-column table through kedge, beside psql's own
\\copy of the same data, with the peak memory of kedge; and validate --connect over many entities
beside one introspection. Prints one line a measurement: what, rows, seconds, ratio, megabytes. With --flat it
fails when the peak grows with the rows; give a --memory-limit that the smaller table already fills.

    bench/pipelines_bench.py --kedge build/release/bin/kedge [--rows 1000000,10000000] [--entities 200]
"""
import argparse
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

COLUMNS = ("id bigint, code varchar(12), amount decimal(12,2), qty integer, price double precision, "
           "seen timestamp, day date, flag boolean, note text, region text, ratio double precision, batch bigint")
CONTRACT = ("{ id: bigint, code: varchar, amount: 'decimal(12,2)', qty: integer, price: double, seen: timestamp, "
            "day: date, flag: boolean, note: varchar, region: varchar, ratio: double, batch: bigint }")


class Server:
    """A throw-away cluster on a unix socket, owned by an unprivileged user when run as root."""

    def __init__(self, folder):
        self.folder, self.socket = folder / "data", folder
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(folder, self.user)
        self.call("initdb", "-D", str(self.folder), "-A", "trust", "-U", "bench", "-N")
        self.call("pg_ctl", "-D", str(self.folder), "-w", "-l", str(folder / "log"), "-o",
                  f"-k {folder} -c listen_addresses='' -c fsync=off -c max_wal_size=8GB -c autovacuum=off", "start")
        SERVER[:] = [int((self.folder / "postmaster.pid").read_text().split()[0])]

    def call(self, name, *arguments):
        command = [f"{self.bin}/{name}", *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *command]
        subprocess.run(command, check=True, capture_output=True, cwd="/")

    def psql(self, sql):
        done = subprocess.run(["psql", "-qAt", "-h", str(self.socket), "-U", "bench", "-d", "postgres", "-c", sql],
                              check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def stop(self):
        self.call("pg_ctl", "-D", str(self.folder), "-m", "immediate", "stop")


SERVER = []
MEMORY = {}  # rows -> peak megabytes of both directions


def server_cpu():
    """CPU seconds of the server's ended backends: on a shared machine wall time says little."""
    fields = Path(f"/proc/{SERVER[0]}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def timed(command, **more):
    """Wall seconds, peak megabytes, CPU seconds of the command and of the server's backend."""
    before = os.times()
    server = server_cpu()
    start = time.monotonic()
    done = subprocess.run(["/usr/bin/env", "python3", "-c", PEAK, *command], capture_output=True, text=True, **more)
    seconds = time.monotonic() - start
    after = os.times()
    time.sleep(0.3)
    cpu = (after.children_user - before.children_user + after.children_system - before.children_system
           + server_cpu() - server)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return seconds, int(done.stderr.strip().splitlines()[-1]) / 1024, cpu


PEAK = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def run_command(kedge, folder):
    """kedge itself, or the small program that runs a project only."""
    if Path(kedge).name == "pipelines_run":
        return [kedge, str(folder)]
    return [kedge, "-C", str(folder), "run", "--all"]


def write_csv(path, rows):
    regions = ["north", "south", "east", "west"]
    with open(path, "w") as out:
        out.write("id,code,amount,qty,price,seen,day,flag,note,region,ratio,batch\n")
        for i in range(rows):
            out.write(f"{i},C{i % 99991:06d},{i % 100000}.{i % 100:02d},{i % 500},{i * 0.25},"
                      f"2027-01-{i % 28 + 1:02d} {i % 24:02d}:{i % 60:02d}:{i % 60:02d},2027-02-{i % 28 + 1:02d},"
                      f"{'true' if i % 3 else 'false'},note number {i},{regions[i % 4]},{(i % 1000) / 8},{i // 1000}\n")


def project(folder, server, limit):
    (folder / "pipelines").mkdir(parents=True, exist_ok=True)
    (folder / "project.yml").write_text(
        f"name: bench\nversion: 1.0.0\nengine: {{ duckdb: {{ memory_limit: {limit} }} }}\n")
    (folder / "connections.yml").write_text(
        f"inb: {{ connector: localfiles, root: '{folder}' }}\nout: {{ connector: localfiles, root: '{folder}/out' }}\n"
        f"pg: {{ connector: postgres, host: '{server.socket}', database: postgres, user: bench, "
        "command_timeout_seconds: 0 }\n")


def one_pipeline(folder, text):
    for old in (folder / "pipelines").glob("*.sql"):
        old.unlink()
    (folder / "pipelines" / "p.sql").write_text(text)
    shutil.rmtree(folder / ".kedge", ignore_errors=True)


def bench_copy(kedge, folder, server, rows):
    csv = folder / "t.csv"
    write_csv(csv, rows)
    server.psql(f"DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS b; CREATE TABLE a ({COLUMNS}); CREATE TABLE b ({COLUMNS})")
    copy, _, copy_cpu = timed(["psql", "-q", "-h", str(server.socket), "-U", "bench", "-d", "postgres", "-c",
                     f"\\copy a from '{csv}' csv header"])
    columns = CONTRACT
    for word in ("bigint", "varchar", "integer", "double", "timestamp", "date", "boolean"):
        columns = columns.replace(f": {word}", f": '{word}'")
    one_pipeline(folder, "INSERT INTO {{ sink('pg', 'public.b') }}\n"
                         "SELECT * FROM {{ source('inb', 't', path: 't.csv', columns: " + columns + ") }}\n")
    own, memory, own_cpu = timed(run_command(kedge, folder))
    print(f"\\copy csv -> postgres      {rows:>9} rows  {copy:7.1f} s  cpu {copy_cpu:6.1f} s")
    in_memory = memory
    print(f"kedge csv -> postgres      {rows:>9} rows  {own:7.1f} s  cpu {own_cpu:6.1f} s  speed {copy / own:4.2f} x, by cpu {copy_cpu / own_cpu:4.2f} x  {memory:6.0f} MB")
    same = server.psql("SELECT (SELECT count(*) FROM b) = (SELECT count(*) FROM a) AND "
                       "(SELECT sum(amount) FROM b) = (SELECT sum(amount) FROM a)")
    if same != "t":
        raise SystemExit("the copies differ")
    server.psql("DROP TABLE b")
    out, _, out_cpu = timed(["psql", "-q", "-h", str(server.socket), "-U", "bench", "-d", "postgres", "-c",
                    f"\\copy a to '{folder}/o.csv' csv header"])
    one_pipeline(folder, "INSERT INTO {{ sink('out', 'p', strategy: 'replace', format: 'parquet') }}\n"
                         "SELECT * FROM {{ source('pg', 'public.a') }}\n")
    own, memory, own_cpu = timed(run_command(kedge, folder))
    print(f"\\copy postgres -> csv      {rows:>9} rows  {out:7.1f} s  cpu {out_cpu:6.1f} s")
    print(f"kedge postgres -> parquet  {rows:>9} rows  {own:7.1f} s  cpu {own_cpu:6.1f} s  speed {out / own:4.2f} x, by cpu {out_cpu / own_cpu:4.2f} x  {memory:6.0f} MB")
    csv.unlink()
    MEMORY[rows] = (in_memory, memory)


def judge_memory():
    """More rows than the memory limit must not need more memory: it is bound by chunks, not by the table."""
    least, most = min(MEMORY), max(MEMORY)
    for name, few, many in zip(("csv -> postgres", "postgres -> parquet"), MEMORY[least], MEMORY[most]):
        print(f"peak memory {name}: {few:.0f} MB at {least} rows, {many:.0f} MB at {most} rows")
        if many > few * 1.25 + 32:
            raise SystemExit("memory grows with the rows")


def bench_validate(kedge, folder, server, entities):
    server.psql("; ".join(f"CREATE TABLE e{i} (id bigint, note varchar(20), seen timestamp)" for i in range(entities)))
    listed = "".join(f"    public.e{i}: {{ read: {{ columns: {{ id: bigint, note: varchar(20), seen: timestamp }} }} }}\n"
                     for i in range(entities))
    one_pipeline(folder, "SELECT 1 AS x\n")
    text = (folder / "connections.yml").read_text()
    (folder / "connections.yml").write_text(
        f"pg:\n  connector: postgres\n  host: '{server.socket}'\n  database: postgres\n  user: bench\n  entities:\n{listed}")
    inspect, _, _ = timed([kedge, "-C", str(folder), "inspect", "pg"], )
    own, memory, _ = timed([kedge, "-C", str(folder), "validate", "--connect"])
    print(f"kedge inspect              {entities:>9} tables {inspect:6.2f} s")
    print(f"kedge validate --connect   {entities:>9} tables {own:6.2f} s  {own / inspect:4.2f} x  {memory:6.0f} MB")
    (folder / "connections.yml").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--rows", default="1000000,10000000")
    parser.add_argument("--memory-limit", default="1GiB", help="of DuckDB (engine.duckdb.memory_limit)")
    parser.add_argument("--flat", action="store_true", help="fail when memory grows with the rows")
    parser.add_argument("--entities", type=int, default=200)
    arguments = parser.parse_args()
    kedge = str(Path(arguments.kedge).resolve())
    with tempfile.TemporaryDirectory(prefix="kedge-bench-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o755)
        folder = Path(name) / "project"
        folder.mkdir()
        place = Path(name) / "pg"
        place.mkdir()
        server = Server(place)
        try:
            project(folder, server, arguments.memory_limit)
            for rows in arguments.rows.split(","):
                bench_copy(kedge, folder, server, int(rows))
            if arguments.flat:
                judge_memory()
            if Path(kedge).name == "kedge":
                bench_validate(kedge, folder, server, arguments.entities)
        finally:
            server.stop()


main()
