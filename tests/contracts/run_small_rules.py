#!/usr/bin/env python3
"""Rules of one sentence each that no case shows: fail-fast, limits of connections, retention, cursors taken back, folders of state,
types of SQLite's expressions, policies that have no effect.

run_small_rules.py --kedge PATH [--duckdb-lib LIB] [--only WORD] [-v]
Prints what does not hold and `N passed, N failed, N skipped`.
"""
from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from run_rules import must, run_checks, sqlite_file  # noqa: E402

FILES = {"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {}}}}, "out": {"connector": "localfiles", "root": "out"}}


def fail_fast_stops_everything(checks):
    """Without it independent branches go on."""
    p = checks.project(FILES, "engine: {threads: 1}\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT error('no') AS x")
    p.write("pipelines/b.sql", "INSERT INTO {{ sink('out', 'b') }}\nSELECT 1 AS x")
    for words, wanted in ((["--fail-fast"], "skipped"), ([], "success")):
        done = p.run("run", "--all", "--format", "json", *words).expect(1)
        status = {n["name"]: n["status"] for n in done.json()["nodes"]}
        must(status["a"] == "failed" and status["out.a"] == "skipped" and status["out.b"] == wanted, str(status))


def a_connection_has_no_more_nodes_than_it_allows(checks):
    """max_concurrency: 1, four threads: no two of its nodes at once."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "max_concurrency": 1,
                                 "entities": {f"t{i}": {"read": {}} for i in range(4)}}}, "engine: {threads: 4}\n")
    sqlite_file(p.folder / "l.db", "".join(f"CREATE TABLE t{i} (a BIGINT); INSERT INTO t{i} WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
                                           f"FROM n WHERE x < 20000) SELECT x FROM n;" for i in range(4)))
    p.run("run", "--select", "source:lite.*").expect(0)
    open_nodes, seen = 0, 0
    for line in (p.runs()[-1] / "events.ndjson").read_text().splitlines():
        event = json.loads(line)["event"]
        open_nodes += (event == "node_started") - (event == "node_completed")
        seen += event == "node_started"
        must(open_nodes <= 1, "two nodes at once")
    must(seen == 4, f"{seen} nodes")


def old_staging_goes_records_stay(checks):
    p = checks.project(FILES, "retention: {keep_last: 2}\n")
    p.write("in/t.csv", "a\n1\n")
    for _ in range(4):
        p.run("run", "--select", "source:inb.t").expect(0)
    must([(r / "staging.duckdb").exists() for r in p.runs()] == [False, False, True, True], "staging")
    must(all((r / "run.json").exists() and (r / "events.ndjson").exists() for r in p.runs()), "records")
    p.write("project.yml", "name: rules\nversion: 1.0.0\nretention: off\n")
    for _ in range(2):
        p.run("run", "--select", "source:inb.t").expect(0)
    must([(r / "staging.duckdb").exists() for r in p.runs()][2:] == [True] * 4, "retention: off")


def cursors_are_set_taken_back_and_forgotten(checks):
    """Each with --dry-run, a reason in the audit trail, and no change without --yes."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {"sync": {"mode": "incremental", "cursor": "id"}}}}},
                        "dst": {"connector": "sqlite", "path": "d.db"}})
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('lite', 't') }}")
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (1);")
    p.run("run", "--all").expect(0)
    first = p.runs()[-1].name
    sqlite_file(p.folder / "l.db", "INSERT INTO t VALUES (7);")
    p.run("run", "--all").expect(0)
    value = lambda: json.loads((p.folder / ".kedge/state/watermarks.json").read_text()).get("lite.t", {}).get("value")  # noqa: E731
    must(value() == "7", str(value()))
    p.run("state", "rollback", "lite.t", "--to-run", first).expect(2)
    p.run("state", "rollback", "lite.t", "--to-run", first, "--dry-run").expect(0)
    must(value() == "7", "a dry run stored")
    p.run("state", "rollback", "lite.t", "--to-run", first, "--yes", "--reason", "once more").expect(0)
    must(value() == "1", str(value()))
    p.run("state", "set", "lite.t", "--value", "5", "--yes").expect(0)
    must(value() == "5", str(value()))
    p.run("state", "clear", "lite.t", "--yes").expect(0)
    must(value() is None, str(value()))
    audit = [json.loads(line) for line in (p.folder / ".kedge/state/audit.jsonl").read_text().splitlines()]
    must([a["action"] for a in audit] == ["state rollback", "state set", "state clear"] and audit[0]["reason"] == "once more", str(audit))
    p.run("state", "show").expect(0)


def state_lives_where_the_project_says(checks):
    p = checks.project(FILES, "on_source_drift: warn\nstate_dir: accepted/shapes\n")
    p.write("in/t.csv", "a\n1\n")
    p.run("run", "--select", "source:inb.t").expect(0)
    must((p.folder / "accepted/shapes/schemas.json").exists() and not (p.folder / ".kedge/state").exists(), "the place")
    p.write("in/t.csv", "a,b\n1,2\n")
    p.run("run", "--select", "source:inb.t").expect(0, "warning PZ0331")
    p.run("schema", "accept").expect(0, "accepted 1")
    must((p.folder / "accepted/shapes/audit.jsonl").exists(), "the trail")


def expressions_of_sqlite_have_the_type_of_their_values(checks):
    """Only integers: BIGINT; reals or both: DOUBLE; blobs: BLOB; anything else, or nothing: VARCHAR."""
    query = "SELECT a + 1 AS i, a * 0.5 AS r, CASE a WHEN 1 THEN 1 ELSE 0.5 END AS m, x'00' || '' AS t, CAST(x'01' AS BLOB) AS b, NULL AS n FROM t"
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"q": {"read": {"query": query}}}}}, "on_source_drift: warn\n")
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);")
    p.run("run", "--select", "source:lite.q").expect(0)
    types = {c["name"]: c["type"] for c in p.record()["nodes"][0]["observed_schema"]["columns"]}
    must(types == {"i": "BIGINT", "r": "DOUBLE", "m": "DOUBLE", "t": "VARCHAR", "b": "BLOB", "n": "VARCHAR"}, str(types))


def a_policy_on_files_has_no_effect(checks):
    p = checks.project(FILES)
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', schema_policy: 'evolve') }}\nSELECT 1 AS x")
    done = p.run("validate").expect(0, "has no effect")
    must("warning" in done.err, done.err)
    p.run("run", "--all").expect(0)


def calls_span_lines(checks):
    p = checks.project(FILES)
    p.write("in/t.csv", "a\n1\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink(\n  'out',\n  'a',\n  format: 'csv'\n) }}\nSELECT a -- {{ source('none', 'x') }}\nFROM {{ source(\n'inb',\n't') }};\n")
    p.run("run", "--all").expect(0)
    must(next((p.folder / "out/a").glob("*.csv")).read_text() == "a\n1\n", "the rows")


def a_contract_begins_with_what_is_there(checks):
    """contract infer: from the accepted baseline without a connection, from the source with --connect."""
    p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {}}}}}, "on_source_drift: warn\n")
    sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT, note VARCHAR(9))")
    p.run("run", "--select", "source:lite.t").expect(0)
    sqlite_file(p.folder / "l.db", "ALTER TABLE t ADD COLUMN kg DECIMAL(9,2)")
    live = p.run("contract", "infer", "lite.t", "--connect").expect(0, "id: bigint", "note: varchar(9)", "kg: ").out.lower()
    must("decimal(9,2)" in live, live)
    (p.folder / "l.db").unlink()
    done = p.run("contract", "infer", "lite.t").expect(0, "id: bigint")
    must("kg" not in done.out, done.out)


def an_init_keeps_state_out_of_the_repository(checks):
    p = checks.project({})
    for name in ("project.yml", "connections.yml"):
        (p.folder / name).unlink()
    p.run("init").expect(0)
    must(".kedge/" in (p.folder / ".gitignore").read_text(), "the ignored folder")


def the_last_of_equal_keys_wins(checks):
    """In staging order, and told with both numbers."""
    p = checks.project({**FILES, "dst": {"connector": "sqlite", "path": "d.db"}})
    p.write("in/t.csv", "id,v\n1,a\n2,x\n1,b\n1,c\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('inb', 't') }}")
    for _ in range(2):
        p.run("run", "--all").expect(0, "warning PZ0522", "1 merge key(s) occur more than once, 2 surplus row(s)")
        with sqlite3.connect(p.folder / "d.db") as database:
            must(database.execute("SELECT id, v FROM t ORDER BY id").fetchall() == [(1, "c"), (2, "x")], "the rows")


def the_last_of_equal_keys_decides_deletions(checks):
    """A key that one row writes and another deletes: its last row counts, on every kind of target."""
    for kind, path in (("sqlite", "d.db"), ("duckdb", "d.duckdb")):
        p = checks.project({**FILES, "dst": {"connector": kind, "path": path}})
        p.write("in/t.csv", "id,v,gone\n1,a,true\n1,b,false\n2,x,false\n2,,true\n")
        p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id'], on_delete: 'delete', delete_flag: 'gone') }}\n"
                                   "SELECT * FROM {{ source('inb', 't') }}")
        p.write("pipelines/back.sql", "INSERT INTO {{ sink('out', 'back', format: 'csv') }}\nSELECT id, v FROM {{ source('dst', 't') }}")
        for _ in range(2):   # into a new table, and into one that is there
            p.run("run", "--select", "a+").expect(0, "warning PZ0522")
            p.run("run", "--select", "+back+").expect(0)
            must(sorted((p.folder / "out/back").glob("*.csv"))[-1].read_text() == "id,v\n1,b\n", f"{kind}: the rows")


def a_check_of_a_missing_column_is_no_gate_that_is_open(checks):
    p = checks.project(FILES)
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT 1 AS x")
    p.write("pipelines/configs/a.yml", "pipeline: a\nchecks:\n  - not_null: [zz]\n")
    p.run("run", "--all").expect(1, "PZ0510", "the column 'zz' does not exist in the result; it has 'x'")
    must(not (p.folder / "out/a").exists(), "the write went on")
    p.write("pipelines/configs/a.yml", "pipeline: a\nchecks:\n  - {not_null: [zz], severity: warn}\n  - not_null: [X]\n")
    p.run("run", "--all").expect(0, "'zz' does not exist")
    must([c["status"] for c in p.record()["checks"]] == ["warn", "pass"], str(p.record()["checks"]))


def the_first_run_takes_every_row(checks):
    """Whatever is done to watermark(): its first value has no end that a sum could pass."""
    for bound in ("id > {w} - 10", "id > {w} * 2", "id >= {w} + 1", "id > {w} - 0.5"):
        p = checks.project({"lite": {"connector": "sqlite", "path": "l.db", "entities": {"t": {"read": {"columns": {"id": "bigint"}}}}},
                            "dst": {"connector": "sqlite", "path": "d.db"}})
        sqlite_file(p.folder / "l.db", "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (-9223372036854775808), (5);")
        p.write("pipelines/a.sql", "INSERT INTO {{ sink('dst', 't', strategy: 'merge', keys: ['id']) }}\nSELECT * FROM {{ source('lite', 't') }} WHERE "
                                   + bound.format(w="{{ watermark('lite', 't') }}"))
        p.run("run", "--all").expect(0)
        p.run("run", "--all").expect(0)
        with sqlite3.connect(p.folder / "d.db") as database:
            must(database.execute("SELECT count(*) FROM t").fetchall() == [(2,)], bound)


def events_come_while_the_run_goes_on(checks):
    p = checks.project(FILES)
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT count(*) AS n FROM range(100000000) x, range(20) y")
    process = subprocess.Popen([checks.args.kedge, "-C", str(p.folder), "run", "--all", "--events", "-"], stdout=subprocess.PIPE, text=True)
    first = process.stdout.readline()
    must(json.loads(first)["event"] == "run_started" and process.poll() is None, first)
    process.kill()
    process.communicate()


def a_broken_line_of_csv_is_named(checks):
    """With and without a contract; nothing is left out, no line is taken for one field."""
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {"columns": {"box": "varchar", "kg": "int"}}}, "u": {
        "read": {"path": "t.csv"}}}}})
    for text, wanted in (("box,kg\nA,1,2\n", "line 2: Expected Number of Columns: 2 Found: 3"), ("box,kg\nA,1\nB\n", "line 3: Expected"),
                         ('box,kg\nA,1\n"B,2\nC,3\n', "line 3: Value with unterminated quote")):
        p.write("in/t.csv", text)
        for entity in "tu":
            p.run("run", "--select", f"source:inb.{entity}").expect(1, "PZ0804", "file t.csv, " + wanted)
    p.write("in/t.csv", 'box,kg\n#A,1\n"#""B",2\n')
    for entity in "tu":
        p.run("run", "--select", f"source:inb.{entity}").expect(0)
        must(p.record()["nodes"][0]["rows"] == 2, "the rows")


def facts_that_can_never_hold_are_refused_at_once(checks):
    """PZ0113 where they are declared, before anything is read."""
    for fact in ("pattern: '['", "accepted_values: [a]", "accepted_values: []", "min: a", "max: 1-1"):
        kind = "varchar" if fact.startswith("pattern") else "int"
        p = checks.project({})
        p.write("connections.yml", f"inb:\n  connector: localfiles\n  entities: {{t: {{read: {{columns: {{x: {{type: {kind}, {fact}}}}}}}}}}}\n")
        p.run("validate").expect(2, "PZ0113", "connections.yml:3:")
    p = checks.project({})
    p.write("connections.yml", "inb: {connector: localfiles, entities: {t: {read: {columns: {d: {type: date, min: 2024-13-01}}}}}}\n")
    p.run("validate").expect(2, "PZ0113", "date field value out of range")
    p.write("connections.yml", "inb: {connector: localfiles, entities: {t: {read: {columns: {d: {type: date, min: 2024-12-01}, n: {type: int, max: 2.5}}}}}}\n")
    p.run("validate").expect(0)
    p = checks.project(FILES)
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a') }}\nSELECT 'x' AS x")
    p.write("pipelines/configs/a.yml", "pipeline: a\nchecks:\n  - pattern: {column: x, regex: '('}\n")
    p.run("validate").expect(2, "PZ0113", "can never be evaluated")


def facts_that_move_rows_run_one_after_another(checks):
    """Each sees what those before it have left: twelve runs, one result."""
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {
        "columns": {"id": {"type": "int", "not_null": True}, "x": {"type": "varchar", "accepted_values": ["a", "b"], "max_length": 1}},
        "expect": {"on_violation": "quarantine", "row_count": {"min": 3}}}}}}, "out": {"connector": "localfiles", "root": "out"}})
    p.write("in/t.csv", "id,x\n1,a\n2,b\n,a\n3,zz\n4,b\n")
    p.write("pipelines/a.sql", "INSERT INTO {{ sink('out', 'a', strategy: 'replace', format: 'csv', path: 'a.csv') }}\nSELECT * FROM {{ source('inb', 't') }}")
    for _ in range(12):
        done = p.run("run", "--all", "--format", "json").expect(0)
        found = [(c["type"], c["status"], c["violations"], c["rows"]) for c in done.json()["checks"]]
        must(found == [("not_null", "warn", 1, 5), ("accepted_values", "warn", 1, 4), ("length", "pass", 0, 3), ("row_count", "pass", 0, 3)], str(found))
        must(sorted((p.folder / "out/a.csv").read_text().split()) == ["1,a", "2,b", "4,b", "id,x"], "the rows that are left")


def extra_columns_of_files_are_judged(checks):
    for name, text in (("t.csv", "id,x\n1,2\n"), ("t.tsv", "id\tx\n1\t2\n"), ("t.json", '{"id": 1, "x": 2}\n')):
        p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {
            "path": name, "format": name[2:], "columns": {"id": "int"}, "extra_columns": "fail"}}}}})
        p.write("in/" + name, text)
        p.run("run", "--select", "source:inb.t").expect(1, "PZ0331", "1 column(s) not in the contract: x")


def facts_without_a_contract_say_what_is_missing(checks):
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {"expect": {"unique": [["idd"]]}}}}}})
    p.write("in/t.csv", "id\n1\n")
    p.run("run", "--select", "source:inb.t+").expect(1, "PZ0510", "the column 'idd' does not exist in the result; it has 'id'")


def an_empty_file_has_no_columns(checks):
    """Nothing is made up: no column0, no baseline."""
    for name in ("t.csv", "t.json"):
        p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {"path": name, "format": name[2:]}}}}})
        p.write("in/" + name, "")
        p.run("run", "--select", "source:inb.t").expect(1, "PZ0804", f"file {name} is empty")


def an_empty_feed_under_a_contract_has_no_rows_and_nothing_extra(checks):
    for extra in ("ignore", "warn", "fail"):
        for read in ({"path": "t.json", "format": "json", "columns": {"a": "bigint"}}, {"path": "t.csv", "header": False, "columns": {"column0": "bigint"}}):
            p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {**read, "extra_columns": extra}}}}})
            p.write("in/" + read["path"], "")
            done = p.run("run", "--select", "source:inb.t").expect(0)
            must("warning" not in done.err and "0 rows" in done.out, done.err)
            p.run("validate", "--connect").expect(0)


def members_of_a_struct_are_pruned_in_json_and_compared_in_duckdb(checks):
    p = checks.project({"inb": {"connector": "localfiles", "root": "in", "entities": {"t": {"read": {"format": "json", "columns": {"s": "struct(a integer)"}}}}},
                        "d": {"connector": "duckdb", "path": "d.duckdb", "entities": {"u": {"read": {"columns": {"s": "struct(a integer)"}}}}}})
    p.write("in/t.json", '{"s": {"a": 1, "b": "x"}}\n')
    p.run("run", "--select", "source:inb.t").expect(0)
    p.write("pipelines/u.sql", "INSERT INTO {{ sink('d', 'u') }}\nSELECT {'a': 1, 'b': 'x'} AS s")
    p.run("run", "u").expect(0)
    p.run("run", "--select", "source:d.u").expect(1, "PZ0804", "'s'")


def samples_are_not_shown_where_they_may_not(checks):
    p = checks.project({"out": {"connector": "localfiles", "root": "out"}}, "engine: {check_samples: false}\n")
    fetch = "(SELECT b FROM (VALUES ('300'), ('it''s 5 secret')) v (b) WHERE length(b) > 3)"
    for call in ("CAST(b AS TINYINT)", "b::INTEGER", "b::DECIMAL(9,2)", "b::DATE", "b::TIMESTAMP", "b::JSON", "strptime(b, '%Y')", "error(b)",
                 "('300' || length(b))::TINYINT", "list_value(b)[1]::UUID"):
        p.write("pipelines/a.sql", f"INSERT INTO {{{{ sink('out', 'a') }}}}\nSELECT {call} AS c FROM {fetch}")
        done = p.run("run", "--all").expect(1, "PZ0501", "Error (samples are off")
        kept = "".join(f.read_text(errors="replace") for f in p.runs()[-1].iterdir() if f.suffix in (".json", ".ndjson"))
        must("secret" not in done.out + done.err + kept and "300" not in done.err, f"{call}: the value is shown: {done.err}")
    # What a check says that cannot be evaluated, on screen, in the record and in the events; names stay.
    p.write("pipelines/a.sql", f"INSERT INTO {{{{ sink('out', 'a') }}}}\nSELECT b FROM {fetch}")
    for check, engine in (("SELECT b FROM staging.a WHERE b::INT > 0", "Error (samples are off"), ("SELECT gone FROM staging.a", "gone")):
        p.write("pipelines/configs/a.yml", f"pipeline: a\nchecks:\n  - custom_sql: {{name: none, sql: \"SELECT * FROM ({check})\"}}\n")
        done = p.run("run", "--all").expect(1, "PZ0510", engine)
        kept = "".join(f.read_text(errors="replace") for f in p.runs()[-1].iterdir() if f.suffix in (".json", ".ndjson"))
        must("secret" not in done.out + done.err + kept, f"{check}: the value is shown")
        must(engine in kept, kept)
    # One check may keep its own to itself.
    p.write("project.yml", "name: p\nversion: 1.0.0\n")
    p.write("pipelines/configs/a.yml", "pipeline: a\nchecks:\n  - custom_sql: {name: none, sample_values: false, sql: \"SELECT b FROM staging.a WHERE b::INT > 0\"}\n")
    must("secret" not in p.run("run", "--all").expect(1, "PZ0510", "samples are off").err, "a check shows values")


def checks_inside_postgres_know_staging(checks):
    server = checks.databases.open("postgres", checks.folder, checks.folder)
    p = checks.project({"a": {**server.connection(), "password": "x"}})
    server.script("DROP TABLE IF EXISTS src; CREATE TABLE src (id int); INSERT INTO src VALUES (1), (2)")
    p.write("pipelines/p.sql", "INSERT INTO {{ sink('a', 'public.o', strategy: 'replace') }}\nSELECT id FROM {{ source('a', 'public.src') }}")
    p.write("pipelines/configs/p.yml", "pipeline: p\nengine: {run_in: a}\nchecks:\n  - custom_sql: {name: none, sql: \"SELECT * FROM staging.p WHERE id > 5\"}\n")
    p.run("run", "--all").expect(0)
    p.write("pipelines/configs/p.yml", "pipeline: p\nengine: {run_in: a}\nchecks:\n  - custom_sql: {name: some, sql: \"SELECT * FROM staging.p WHERE id > 1\"}\n")
    p.run("run", "--all").expect(1, "PZ0510", "some")


ALL = [fail_fast_stops_everything, a_connection_has_no_more_nodes_than_it_allows, old_staging_goes_records_stay, cursors_are_set_taken_back_and_forgotten,
       state_lives_where_the_project_says, expressions_of_sqlite_have_the_type_of_their_values, a_policy_on_files_has_no_effect, calls_span_lines,
       a_contract_begins_with_what_is_there, an_init_keeps_state_out_of_the_repository, the_last_of_equal_keys_wins,
       the_last_of_equal_keys_decides_deletions, a_check_of_a_missing_column_is_no_gate_that_is_open, the_first_run_takes_every_row,
       events_come_while_the_run_goes_on, a_broken_line_of_csv_is_named, facts_that_can_never_hold_are_refused_at_once,
       facts_that_move_rows_run_one_after_another, extra_columns_of_files_are_judged, facts_without_a_contract_say_what_is_missing,
       an_empty_file_has_no_columns, an_empty_feed_under_a_contract_has_no_rows_and_nothing_extra,
       members_of_a_struct_are_pruned_in_json_and_compared_in_duckdb, samples_are_not_shown_where_they_may_not, checks_inside_postgres_know_staging]

if __name__ == "__main__":
    sys.exit(run_checks(ALL))
