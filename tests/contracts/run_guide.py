#!/usr/bin/env python3
"""What docs/guide/contracts.md promises beyond what the cases show, each sentence with a run.

run_guide.py --kedge PATH [--duckdb-lib LIB] [--only WORD] [-v]
Prints what does not hold and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import gzip
import re
import sqlite3
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from run_rules import must, run_checks, sqlite_file  # noqa: E402

GUIDE = Path(__file__).resolve().parents[2] / "docs/guide/contracts.md"


def write_csv(p, select, **sink):
    """A pipeline that shows what it gets as lines of out/a.csv."""
    options = "".join(f", {k}: '{v}'" for k, v in sink.items())
    p.write("pipelines/a.sql", f"INSERT INTO {{{{ sink('out', 'a', strategy: 'replace', format: 'csv', path: 'a.csv'{options}) }}}}\n{select}")


def rows(p):
    return (p.folder / "out/a.csv").read_text().splitlines()[1:]


def files(checks, entities, settings=""):
    return checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": entities}, "out": {"connector": "localfiles", "root": "out"}},
                          settings)


def the_first_project_runs(checks):
    """The files of the guide as they stand, on a server of its own."""
    text = GUIDE.read_text()
    database = checks.databases.open("postgres", checks.folder, checks.folder)
    try:
        at = database.connection()
        p = checks.project({}, "")
        p.write("connections.yml", re.search(r"```yaml\n# connections.yml\n(.*?)```", text, re.S).group(1)
                .replace("database: depot", f"database: {at['database']}\n  port: {at['port']}\n  user: {at['user']}"))
        p.write("pipelines/load.sql", re.search(r"```sql\n(.*?)```", text, re.S).group(1))
        p.write("yard/containers.csv", "box,gross_kg\nA,1.5\nB,2\n")
        p.variables = {"DEPOT_HOST": at["host"], "DEPOT_PASSWORD": "x"}
        p.run("run", "--all").expect(0)
        must(database.query("SELECT box, gross_kg FROM load ORDER BY 1")[1] == [["A", "1.500"], ["B", "2.000"]], "the rows")
        run = p.runs()[-1]
        must({f.name for f in run.iterdir()} >= {"run.json", "events.ndjson", "staging.duckdb"}, str(list(run.iterdir())))
    finally:
        database.close()


def empty_fields_of_csv_and_tsv(checks):
    """Empty is NULL; a quoted empty field of a declared text is the empty text; null_text says it instead."""
    for name, comma in (("t.csv", ","), ("t.tsv", "\t")):
        p = files(checks, {"t": {"read": {"path": name, "columns": {"n": "int", "a": "varchar", "b": "varchar"}}}})
        p.write(f"in/{name}", "n,a,b\n1,,\"\"\n\"\",x,-\n".replace(",", comma))
        write_csv(p, "SELECT n IS NULL AS x, a IS NULL AS y, b = '' AS z FROM {{ source('inb', 't') }}")
        p.run("run", "--all").expect(0)
        must(rows(p) == ["false,true,true", "true,false,false"], f"{name}: {rows(p)}")
    p = files(checks, {"t": {"read": {"null_text": ["-"], "columns": {"n": "int", "a": "varchar", "b": "varchar"}}}})
    p.write("in/t.csv", "n,a,b\n1,,-\n")
    write_csv(p, "SELECT n, a = '' AS x, b IS NULL AS y FROM {{ source('inb', 't') }}")
    p.run("run", "--all").expect(0)
    must(rows(p) == ["1,true,true"], str(rows(p)))


def numbers_with_too_many_digits_stop_the_load(checks):
    for name, text, column in (("t.csv", "a\n1.234\n", "decimal(9,2)"), ("t.json", '{"a": 1.234}\n', "decimal(9,2)"), ("t.json", '{"a": 300}\n', "tinyint"),
                               ("t.json", '{"a": 0.1234567890123456789}\n', "decimal(38,9)"), ("t.csv", "a\n1.5\n", "int")):
        p = files(checks, {"t": {"read": {"path": name, "columns": {"a": column}}}})
        p.write(f"in/{name}", text)
        p.run("run", "--select", "source:inb.t").expect(1, "PZ0804", "'a'")
    p = files(checks, {"t": {"read": {"path": "t.json", "columns": {"a": "decimal(38,19)"}}}})
    p.write("in/t.json", '{"a": 0.1234567890123456789}\n')
    write_csv(p, "SELECT a FROM {{ source('inb', 't') }}")
    p.run("run", "--all").expect(0)
    must(rows(p) == ["0.1234567890123456789"], str(rows(p)))


def guesses_are_told(checks):
    """PZ0523, PZ0524; never values."""
    p = files(checks, {"t": {"read": {}}})
    p.write("in/t.csv", "n,d\n90071992547409931.0,03/04/2027\n1.0,05/06/2027\n")
    done = p.run("run", "--select", "source:inb.t").expect(0, "warning PZ0523", "'n'", "warning PZ0524", "'d'")
    must("900719925474099" not in done.err and "2027" not in done.err.replace("%Y", ""), done.err)


def windows_of_a_read(checks):
    """initial: where the first run starts, until: inclusive, max_window: counted from the first value not read yet."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {
        "columns": {"id": "bigint"},
        "sync": {"mode": "incremental", "cursor": "id", "initial": "10", "until": "40", "max_window": "5"}}}}}, "dst": {"connector": "sqlite", "path": "d.db"}})
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (5), (10), (14), (15), (16), (30), (33), (40), (41);")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('lite', 't') }}")
    seen = []
    for _ in range(5):
        p.run("run", "--all").expect(0)
        with sqlite3.connect(p.folder / "d.db") as database:
            seen.append([r[0] for r in database.execute("SELECT id FROM t ORDER BY id")])
    must(seen[0] == [10, 14, 15] and seen[1] == [10, 14, 15, 16] and seen[2][-2:] == [30, 33] and seen[4] == [10, 14, 15, 16, 30, 33, 40], str(seen))


def a_plain_selection_is_staged_once(checks):
    """As a view; its rows are kept once."""
    p = files(checks, {"t": {"read": {"columns": {"a": "int", "b": "int"}}}})
    p.write("in/t.csv", "a,b\n1,2\n")
    write_csv(p, "SELECT b, a FROM {{ source('inb', 't') }}")
    p.write("pipelines/sum.sql", "INSERT INTO {{ sink('out', 's', strategy: 'replace') }}\nSELECT a + b AS s FROM {{ source('inb', 't') }}")
    p.run("run", "--all").expect(0)
    staging = p.runs()[-1] / "staging.duckdb"
    tool = checks.databases.duck
    found = tool.run(staging, "SELECT table_name, table_type FROM information_schema.tables ORDER BY 1", True, p.folder)[1]
    must(found == [["a", "VIEW"], ["src_inb__t", "BASE TABLE"], ["sum", "BASE TABLE"]], str(found))


def what_does_not_fit_stays_with_the_project(checks):
    """engine.duckdb.memory_limit bounds what DuckDB uses; it spills to .kedge/spill, or to temp_directory."""
    for setting, place in (("", ".kedge/spill"), (", temp_directory: elsewhere", "elsewhere")):
        p = files(checks, {}, "engine: {threads: 1, duckdb: {memory_limit: 100MB, threads: 2" + setting + "}}\n")
        write_csv(p, "SELECT current_setting('temp_directory') AS place, current_setting('memory_limit') AS most, current_setting('threads') AS threads")
        p.run("run", "--all").expect(0)
        must(rows(p) == [f"{p.folder / place},95.3 MiB,2"], str(rows(p)))


def compressed_files(checks):
    """.gz is read and written; an appended file keeps the ending."""
    p = files(checks, {"t": {"read": {"path": "t.csv.gz", "columns": {"a": "int"}}}})
    (p.folder / "in").mkdir()
    (p.folder / "in/t.csv.gz").write_bytes(gzip.compress(b"a\n7\n"))
    for name, text in (("a.csv.gz", "a\n7\n"), ("a.json.gz", '{"a":7}\n')):
        for strategy in ("replace", "append"):
            p.write("pipelines/a.sql", f"INSERT INTO {{{{ sink('out', 'a', strategy: '{strategy}', path: '{name}', format: '{name.split('.')[1]}') }}}}\n"
                                       "SELECT * FROM {{ source('inb', 't') }}")
            p.run("run", "--all").expect(0)
            path = p.folder / "out" / name if strategy == "replace" else next((p.folder / "out/a").glob("*." + name.partition(".")[2]))
            must(gzip.decompress(path.read_bytes()).decode() == text, f"{path.name}: {gzip.decompress(path.read_bytes())!r}")


def known_stores_stop_a_run_before_it_begins(checks):
    """PZ0305 with the place; no run folder."""
    p = checks.project({"far": {"connector": "s3", "entities": {"t": {"read": {"format": "parquet"}}}}, "out": {"connector": "localfiles"}})
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT * FROM {{ source('far', 't') }}")
    done = p.run("run", "--all").expect(2, "error PZ0305", "not in this build", "connections.yml:2:14")
    must(not p.runs(), "a run folder was made")
    must("PZ0305" in p.run("validate", "--connect").expect(2).err, done.err)


def tables_made_at_once_in_mysql(checks):
    """Each write has a temporary table of its own."""
    database = checks.databases.open("mysql", checks.folder, checks.folder)
    try:
        p = checks.project({"shop": database.connection()}, "engine: {threads: 6}\n")
        p.variables = database.variables()
        for i in range(6):
            p.write(f"pipelines/p{i}.sql", f"INSERT INTO {{{{ sink('shop', 't{i}', strategy: 'merge', keys: ['a']) }}}}\n"
                                           f"SELECT range AS a, {i} AS n FROM range(2000)")
        for _ in range(2):
            p.run("run", "--all").expect(0)
        for i in range(6):
            must(database.query(f"SELECT count(*), min(n), max(n) FROM t{i}")[1] == [["2000", str(i), str(i)]], f"t{i}")
    finally:
        database.close()


def a_pushed_down_run_leaves_no_schema(checks):
    """Dropped at the end; what needs a conversion is refused."""
    database = checks.databases.open("postgres", checks.folder, checks.folder)
    try:
        database.script("CREATE TABLE src (id bigint, note text); INSERT INTO src VALUES (1, 'a')")
        p = checks.project({"pg": {**database.connection(), "password": "x"}})
        p.write("pipelines/configs/p.yml", "pipeline: p\nengine: {run_in: pg}\n")
        p.write("pipelines/p.sql", "INSERT INTO {{ sink('pg', 'dst', strategy: 'replace') }}\nSELECT * FROM {{ source('pg', 'src', columns: {id: 'bigint'}) }}")
        p.run("run", "--all").expect(0)
        must(database.query("SELECT id FROM dst")[1] == [["1"]], "the rows")
        left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE '%kedge%'"
        must(database.query(left)[1] == [], str(database.query(left)))
        p.write("pipelines/p.sql", "INSERT INTO {{ sink('pg', 'dst', strategy: 'replace') }}\nSELECT * FROM {{ source('pg', 'src', columns: {id: 'varchar'}) }}")
        p.run("run", "--all").expect(1, "PZ0804", "declared VARCHAR")
        must(database.query(left)[1] == [], str(database.query(left)))
    finally:
        database.close()


def a_failed_run_is_taken_up(checks):
    """retry: what succeeded is reused, what was written is no part of it."""
    p = files(checks, {"t": {"read": {"columns": {"a": "int"}}}})
    p.write("in/t.csv", "a\n1\n")
    p.write("pipelines/good.sql", "INSERT INTO {{ sink('out', 'good', strategy: 'append') }}\nSELECT * FROM {{ source('inb', 't') }}")
    p.write("pipelines/bad.sql", "INSERT INTO {{ sink('out', 'bad', strategy: 'replace') }}\nSELECT a FROM {{ source('inb', 't') }} WHERE error('no') IS NULL")
    p.run("run", "--all").expect(1, "PZ0501")
    (p.folder / "in/t.csv").unlink()
    done = p.run("retry", "--format", "json").expect(1)
    found = {n["name"]: n.get("provenance") for n in done.json()["nodes"]}
    wanted = {"src_inb__t": "reused", "bad": None, "out.bad": None}
    must(found == wanted, str(found))
    must(len(list((p.folder / "out/good").iterdir())) == 1, "what was written was written again")


ALL = [the_first_project_runs, empty_fields_of_csv_and_tsv, numbers_with_too_many_digits_stop_the_load, guesses_are_told, windows_of_a_read,
       a_plain_selection_is_staged_once, what_does_not_fit_stays_with_the_project, compressed_files, known_stores_stop_a_run_before_it_begins,
       tables_made_at_once_in_mysql, a_pushed_down_run_leaves_no_schema, a_failed_run_is_taken_up]

if __name__ == "__main__":
    sys.exit(run_checks(ALL))
