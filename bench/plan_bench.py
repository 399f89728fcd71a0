#!/usr/bin/env python3
"""`kedge migrate --dry-run` of N entities against a live PostgreSQL: total, of which introspection; growth with N.

usage: plan_bench.py --kedge PATH [--sizes 500,1000,5000] [--best 3]
Each entity has eight columns, an increment key, a unique key, an index, an enum and a reference; the database is made from them
by kedge itself. Planned are: no change, and a column added to one entity in twenty. Introspection is the time from the start
of the first catalog statement to the end of the last, by the server's own log.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "cases" / "runner"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from kt.databases import Databases  # noqa: E402
from measure import run  # noqa: E402


def entity(n, changed):
    children = [{"source.rdb": {}}, {"field.long": {"name": "id"}}, {"field.string": {"name": "code", "required": True, "maxLength": 20, "unique": True}},
                {"field.enum": {"name": "state", "values": ["NEW", "OPEN", "DONE"], "default": "NEW"}}, {"field.decimal": {"name": "amount", "precision": 10, "scale": 2}},
                {"field.timestamp": {"name": "madeAt", "autoSet": "onCreate"}}, {"field.boolean": {"name": "active", "default": True}}, {"field.string": {"name": "note"}},
                {"identity.primary": {"fields": "id", "generation": "increment"}}, {"index.lookup": {"name": f"ix_{n}_state", "fields": ["state", "madeAt"]}}]
    if n:
        children += [{"field.long": {"name": "upId"}}, {"identity.reference": {"name": "up", "fields": "upId", "references": f"Thing{n - 1}"}}]
    if changed:
        children.append({"field.int": {"name": "added"}})
    return {"object.entity": {"name": f"Thing{n}", "children": children}}


def write(folder, count, every):
    for start in range(0, count, 100):
        path = folder / "metadata" / f"part{start:06d}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        children = [entity(n, bool(every) and n % every == 0) for n in range(start, min(start + 100, count))]
        # the JSON form has sigils
        text = json.dumps({"metadata.root": {"package": "p", "children": children}})
        text = re.sub(r'"(required|maxLength|unique|values|default|precision|scale|autoSet|fields|generation|references)":', r'"@\1":', text)
        path.write_text(text, encoding="utf-8")


def introspection_seconds(log, offset):
    """From the log since `offset`: start of the first statement on the catalog to the end of the last."""
    with open(log, encoding="utf-8", errors="replace") as file:
        file.seek(offset)
        text = file.read()
    spans = []
    for stamp, duration, sql in re.findall(r"^(\S+ \S+) \S+ .*?duration: ([\d.]+) ms +(?:execute [^:]*|statement): ?((?:.|\n)*?)(?=^\d{4}-|\Z)", text, re.M):
        if "pg_catalog" in sql or "pg_class" in sql or "pg_get" in sql or "pg_namespace" in sql:
            end = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S.%f").timestamp()
            spans.append((end - float(duration) / 1000, end))
    return (max(e for _, e in spans) - min(s for s, _ in spans), len(spans)) if spans else (0.0, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--sizes", default="500,1000,5000")
    parser.add_argument("--best", type=int, default=3)
    args = parser.parse_args()
    kedge = str(Path(args.kedge).resolve())
    dbs = Databases()
    try:
        server = dbs.server("postgres")
        server._psql("postgres", "ALTER SYSTEM SET log_min_duration_statement = 0; ALTER SYSTEM SET max_locks_per_transaction = 512; SELECT pg_reload_conf();")
        log = server.folder / "log"
        print("entities | apply s | plan, no change: total s | of which introspection s | statements | CPU s | us an entity | plan, 1 in 20 changed s | peak MB")
        for count in [int(word) for word in args.sizes.split(",")]:
            with tempfile.TemporaryDirectory(prefix="kpb") as name:
                folder = Path(name)
                db = dbs.open("postgres", folder / "x", folder)
                (folder / "project.yml").write_text("name: t\nversion: 1.0.0\nmigrate: {target: db, dialect: postgres}\n")
                (folder / "connections.yml").write_text(json.dumps({"db": db.connection()}))
                write(folder, count, 0)
                begin = time.monotonic()
                # no single transaction holds the locks of thousands of tables on a small server
                up = json.loads(subprocess.run([kedge, "-C", name, "migrate", "--db", "db", "--dry-run", "--format", "json"], capture_output=True, text=True, check=True).stdout)["up"]
                db.script(re.sub(r"SET LOCAL .*?;\n", "", up))
                db.script("ANALYZE;")
                applied = time.monotonic() - begin
                runs = []
                for every in (0, 20):
                    write(folder, count, every)
                    found = None
                    for _ in range(args.best):
                        offset = log.stat().st_size
                        one = run([kedge, "-C", name, "migrate", "--db", "db", "--dry-run", "--format", "json"])
                        changes = json.loads(one.output)["changes"]
                        assert len(changes) == (-(-count // every) if every else 0), len(changes)
                        row = (one.wall, *introspection_seconds(log, offset), one.cpu, one.peak)
                        found = row if found is None else min(found, row)
                    runs.append(found)
                (total, reading, statements, cpu, peak), (changed, *_) = runs
                print(f"{count:,} | {applied:.1f} | {total:.2f} | {reading:.2f} | {statements} | {cpu:.2f} | {total / count * 1e6:.0f} | {changed:.2f} | {peak:.0f}")
                sys.stdout.flush()
                db.close()
    finally:
        dbs.stop()


if __name__ == "__main__":
    main()
