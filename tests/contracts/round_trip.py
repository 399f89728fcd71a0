#!/usr/bin/env python3
"""Every type that `columns:` may name, with its boundary values, through every connector and back.

round_trip.py --kedge PATH [--duckdb-lib LIB] [--wrangler PATH] [--connectors a,b] [--only TYPE] [-v]
What is written comes back equal (value, text and type), or the write or the read is refused with the
code that expected() names. Prints what differs and `N passed, N failed`.
"""
from __future__ import annotations

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cases" / "runner"))
from kt.common import Skip, dump_yaml  # noqa: E402
from kt.databases import Databases, SqlError  # noqa: E402

FILES = ("csv", "tsv", "json", "parquet")
CONNECTORS = (*FILES, "sqlite", "duckdb", "postgres", "mysql", "odbc-sqlite", "odbc-postgres", "d1")

ALL_BYTES = "".join(f"\\x{b:02X}" for b in range(256))
LONG = "repeat('0123456789', 20000)"

# type: (name of the value: SQL of the value). The value is cast to the type.
TYPES = {
    "boolean": {"true": "true", "false": "false"},
    "tinyint": {"min": "-128", "max": "127"},
    "utinyint": {"min": "0", "max": "255"},
    "smallint": {"min": "-32768", "max": "32767"},
    "usmallint": {"min": "0", "max": "65535"},
    "integer": {"min": "-2147483648", "max": "2147483647"},
    "uinteger": {"min": "0", "max": "4294967295"},
    "bigint": {"min": "-9223372036854775808", "max": "9223372036854775807", "beyond-double": "9007199254740993"},
    "ubigint": {"min": "0", "small": "7", "max": "18446744073709551615"},
    "hugeint": {"small": "-7", "38-digits": "-99999999999999999999999999999999999999",
                "min": "'-170141183460469231731687303715884105728'", "max": "'170141183460469231731687303715884105727'"},
    "uhugeint": {"small": "7", "38-digits": "'99999999999999999999999999999999999999'",
                 "max": "'340282366920938463463374607431768211455'"},
    "float": {"max": "3.4028235e38", "min": "-3.4028235e38", "normal": "1.17549435e-38", "tiny": "1.4e-45", "tenth": "0.1",
              "third": "1.0/3", "minus-zero": "'-0.0'", "nan": "'nan'", "inf": "'inf'", "minus-inf": "'-inf'"},
    "double": {"max": "1.7976931348623157e308", "min": "-1.7976931348623157e308", "normal": "2.2250738585072014e-308",
               "tiny": "5e-324", "tenth": "0.1", "sum": "0.1::DOUBLE + 0.2::DOUBLE", "whole": "9007199254740992",
               "minus-zero": "'-0.0'", "nan": "'nan'", "inf": "'inf'", "minus-inf": "'-inf'"},
    "decimal(4,1)": {"min": "-999.9", "max": "999.9", "zero": "0"},
    "decimal(18,3)": {"min": "-999999999999999.999", "max": "999999999999999.999"},
    "decimal(38,9)": {"min": "-99999999999999999999999999999.999999999", "least": "0.000000001"},
    "decimal(38,0)": {"min": "-99999999999999999999999999999999999999", "max": "99999999999999999999999999999999999999"},
    "decimal(30,30)": {"max": "'0.999999999999999999999999999999'"},
    "varchar": {"empty": "''", "blank": "' '", "blanks": "'  a  '", "word-null": "'NULL'", "backslash-n": r"'\N'", "quotes": "'\"q\" ''x'' \\'",
                "tab": "'a' || chr(9) || 'b'", "line": "'a' || chr(10) || 'b'", "return": "'a' || chr(13) || chr(10) || 'b' || chr(13)",
                "comma": "',;|'", "four-byte": "'Ünï 😀 𝄞'", "combining": "'e' || chr(769)", "nul": "'a' || chr(0) || 'b'",
                "last-code-point": "chr(1114111)", "long": LONG, "number": "'007'", "bom": "chr(65279) || 'a'"},
    "varchar(5)": {"full": "'abcde'", "four-byte": "'😀😀😀😀😀'"},
    "blob": {"empty": "''::BLOB", "bytes": f"'{ALL_BYTES}'::BLOB", "nul": "'\\x00'::BLOB", "text": "'abc'::BLOB", "hex-text": "'\\x5Cx00'::BLOB"},
    "date": {"epoch": "'1970-01-01'", "year-1": "'0001-01-01'", "year-9999": "'9999-12-31'", "leap": "'2000-02-29'",
             "bc": "'0044-03-15 (BC)'", "year-10000": "'10000-01-01'", "inf": "'infinity'", "minus-inf": "'-infinity'", "last": "'5881580-07-10'", "first": "'5877642-06-25 (BC)'"},
    "time": {"start": "'00:00:00'", "end": "'23:59:59.999999'", "micro": "'00:00:00.000001'", "24": "'24:00:00'"},
    "timestamp": {"epoch": "'1970-01-01 00:00:00'", "year-1": "'0001-01-01 00:00:00'", "year-9999": "'9999-12-31 23:59:59.999999'",
                  "before": "'1969-12-31 23:59:59.999999'", "bc": "'0044-03-15 (BC) 12:00:00'", "year-10000": "'10000-01-01 00:00:00'",
                  "inf": "'infinity'", "minus-inf": "'-infinity'", "last": "'294247-01-10 04:00:54.775806'", "first": "'290309-12-22 (BC) 00:00:00'"},
    "timestamp_s": {"plain": "'2021-03-04 05:06:07'", "year-1": "'0001-01-01 00:00:00'", "year-9999": "'9999-12-31 23:59:59'"},
    "timestamp_ms": {"plain": "'2021-03-04 05:06:07.891'", "year-1": "'0001-01-01 00:00:00'", "year-9999": "'9999-12-31 23:59:59.999'"},
    "timestamp_ns": {"micro": "'2021-03-04 05:06:07.123456'", "nano": "'2021-03-04 05:06:07.123456789'",
                     "min": "'1677-09-22 00:00:00'", "max": "'2262-04-11 23:47:16.854775806'"},
    "timestamptz": {"epoch": "'1970-01-01 00:00:01+00'", "offset": "'2021-03-04 05:06:07.891234+05:30'", "year-1": "'0001-01-01 00:00:00+00'",
                    "year-9999": "'9999-12-31 23:59:59.999999+00'", "2038": "'2038-01-19 03:14:08+00'", "inf": "'infinity'",
                    "minus-inf": "'-infinity'", "last": "'294247-01-10 04:00:54.775806+00'", "first": "'290309-12-22 (BC) 00:00:00+00'"},
    "interval": {"mixed": "'14 months 3 days 04:05:06.000007'", "negative": "'-1 month -2 days -00:00:00.000001'", "zero": "'0 days'",
                 "days": "'30 days'", "hours": "'25 hours'", "signs": "'-5 days 3 hours'", "more-signs": "'-13 months 40 days -1 microsecond'"},
    "uuid": {"zero": "'00000000-0000-0000-0000-000000000000'", "max": "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
             "high-bit": "'80000000-0000-0000-0000-000000000001'"},
    "json": {"object": "'{\"a\":[1,null,\"x\"]}'", "json-null": "'null'", "text": "'\"a\\\"b\"'", "number": "'1.5'", "big": "'12345678901234567890'",
             "empty": "'{}'", "list": "'[]'", "four-byte": "'\"😀\"'", "true": "'true'"},
    "integer[]": {"plain": "[1, NULL, 3]", "empty": "[]", "nulls": "[NULL, NULL]"},
    "varchar[]": {"plain": "['a', '', NULL, 'NULL', 'x,y', 'q\"', '{b}', '\\\\', '😀']"},
    "integer[][]": {"plain": "[[1, 2], [], NULL, [NULL]]"},
    "decimal(38,9)[]": {"plain": "[12345678901234567890123456789.123456789]"},
    "double[]": {"plain": "[0.1, 1e300]", "nan": "['nan', 'inf']"},
    "timestamp[]": {"plain": "['2021-03-04 05:06:07.891234', NULL]"},
    "blob[]": {"plain": "['\\x00\\xFF'::BLOB, 'abc'::BLOB]"},
    "struct(a integer, b varchar)": {"plain": "{'a': 1, 'b': 'x\"y'}", "nulls": "{'a': NULL, 'b': ''}"},
    'struct("A b" integer, c date, l varchar[], s struct(x decimal(20,4)))': {
        "nested": "{'A b': 1, 'c': DATE '2020-02-29', 'l': ['a', NULL], 's': {'x': 1234567890123456.7891}}"},
    "struct(h hugeint, u uuid, z timestamptz, bl blob)": {
        "plain": "{'h': '-99999999999999999999999999999999999999', 'u': '80000000-0000-0000-0000-000000000001', "
                 "'z': '2021-03-04 05:06:07.891234+05:30', 'bl': '\\xFF\\x00'::BLOB}"},
    "map(varchar, integer)": {"plain": "MAP {'a': 1, 'b\"c': NULL}", "empty": "MAP {}"},
    "map(integer, varchar)": {"plain": "MAP {1: 'x', -2: ''}"},
    "map(varchar, integer[])": {"plain": "MAP {'a': [1, NULL], 'b': []}"},
    "struct(m map(varchar, double))": {"plain": "{'m': MAP {'a': 0.1}}"},
    "enum('a', 'it''s', '')": {"plain": "'a'", "quote": "'it''s'", "empty": "''"},
}


def expected(connector, type_name, value):
    """The code of the refusal, or None: the value comes back equal."""
    for pattern, code in REFUSED.get(connector, []):
        if fnmatch.fnmatchcase(f"{type_name}|{value}", pattern):
            return code
    return None


# "type|value" patterns; ALTERED stands for the few values that a place knows only in another form.
COMMON = [("uhugeint|*", "PZ0802"), ("timestamp_ns|nano", "PZ0811"), ("timestamp_ns|max", "PZ0811")]
SQLITE = [*COMMON, ("ubigint|max", "PZ0811"), ("hugeint|38-digits", "PZ0811"), ("hugeint|m*", "PZ0811"), ("float|nan", "PZ0811"), ("double|nan", "PZ0811"),
          ("float|minus-zero", "ALTERED"), ("double|minus-zero", "ALTERED"),   # 0.0
          ("date|first", "PZ0811"), ("timestamp*|first", "PZ0811"), ("decimal(18,3)|m*", "PZ0811"), ("decimal(38,9)|min", "PZ0811"), ("decimal(38,0)|m*", "PZ0811"), ("decimal(30,30)|max", "PZ0811"),
          ("date|bc", "PZ0811"), ("timestamp|bc", "PZ0811"), ("timestamptz|*inf", "PZ0811"), ("json|big", "PZ0811"), ("interval|*", "PZ0802")]
ODBC = [*COMMON, ("hugeint|m*", "PZ0811"), ("interval|*", "PZ0802"), ("varchar|nul", "PZ0811"), ("date|bc", "PZ0811"),
        ("date|year-10000", "PZ0811"), ("date|*inf", "PZ0811"), ("timestamp|bc", "PZ0811"), ("timestamp|year-10000", "PZ0811"),
        ("timestamp|*inf", "PZ0811"), ("timestamptz|*inf", "PZ0811"), ("date|last", "PZ0811"), ("date|first", "PZ0811"),
        ("timestamp*|last", "PZ0811"), ("timestamp*|first", "PZ0811")]
# As a text, DuckDB itself makes the last zoned moment a millisecond later, which is none.
LAST = [("timestamptz|last", "PZ0804")]
REFUSED: dict[str, list] = {
    "csv": LAST,
    "tsv": LAST,
    "json": [("json|json-null", "ALTERED")],   # the file says null, which is NULL
    "parquet": [("hugeint|m*", "PZ0811"), ("uhugeint|max", "PZ0811"), ("interval|mixed", "PZ0811"), ("interval|negative", "PZ0811"), ("interval|*signs", "PZ0811")],
    "sqlite": [*SQLITE],
    # SQL for wrangler is a text, and an empty result names no types, so bytes are not expected.
    "d1": [*SQLITE, ("float|*inf", "PZ0811"), ("double|*inf", "PZ0811"), ("varchar|nul", "PZ0811")],
    "odbc-sqlite": [*SQLITE, *ODBC,
                    # This driver's own: its encoder stops one code point early, its doubles are read with 15 digits.
                    ("varchar|last-code-point", "ALTERED"), *[(f"double|{name}", "ALTERED") for name in ("max", "min", "normal", "sum", "whole")]],
    "odbc-postgres": [*ODBC, ("blob|*", "PZ0811")],   # the standard's name of the type is not known there
    "postgres": [*COMMON, ("hugeint|m*", "PZ0811"), ("varchar|nul", "PZ0811"), ("double[[]]|nan", "PZ0811"),
                 ("date|last", "PZ0811"), ("date|first", "PZ0811"), ("timestamp*|first", "PZ0811")],
    "mysql": [*COMMON, ("float|minus-zero", "ALTERED"), ("double|minus-zero", "ALTERED"),   # 0.0
              ("hugeint|m*", "PZ0811"), ("float|*nan", "PZ0811"), ("float|*inf", "PZ0811"), ("double|nan", "PZ0811"), ("double|*inf", "PZ0811"),
              ("double[[]]|nan", "PZ0811"), ("interval|*", "PZ0802"), ("date|bc", "PZ0811"), ("date|year-10000", "PZ0811"), ("date|*inf", "PZ0811"),
              ("timestamp|bc", "PZ0811"), ("timestamp|year-10000", "PZ0811"), ("timestamp|*inf", "PZ0811"), ("timestamptz|year*", "PZ0811"),
              ("timestamptz|2038", "PZ0811"), ("timestamptz|*inf", "PZ0811"), ("date|last", "PZ0811"), ("date|first", "PZ0811"),
              ("timestamp*|last", "PZ0811"), ("timestamp*|first", "PZ0811")],
}


class Project:
    def __init__(self, kedge: str, folder: Path, connections: dict, variables: dict):
        self.kedge, self.folder, self.variables = kedge, folder, variables
        (folder / "pipelines/configs").mkdir(parents=True)
        self.write("project.yml", "name: trip\nversion: 1.0.0\nengine: {threads: 2}\nretention: off\n")
        self.write("connections.yml", dump_yaml(connections))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, *args):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "CI": "1", "WRANGLER_SEND_METRICS": "false", "LC_ALL": "C.UTF-8", "TZ": "UTC",
               **{k: str(v) for k, v in self.variables.items()}}
        done = subprocess.run([self.kedge, "-C", self.folder, *args, "--format", "json"], capture_output=True, env=env, timeout=600,
                              stdin=subprocess.DEVNULL)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            sys.exit(f"{' '.join(args)}: no JSON document: {done.stdout[-400:]!r} {done.stderr[-2000:]!r}")
        return document, done.stderr.decode("utf-8", "replace")


def sql_of(type_name, value):
    return f"CAST({value} AS {type_name})"


class Unit:
    """Values of one type that share a target: all that come back equal, or one that does not."""

    def __init__(self, number, type_name, values, want):
        self.number, self.type_name, self.values, self.want = number, type_name, values, want

    def rows(self):
        return " UNION ALL ".join(f"SELECT {k}::INTEGER AS k, {sql_of(self.type_name, value)} AS v" for k, value in enumerate(self.values.values()))

    def shown(self):
        return f"{self.type_name} {', '.join(self.values)}"


def units(args, connector, single=()):
    """The refused values and the types in `single` stand alone."""
    number = 0
    for type_name, values in TYPES.items():
        if args.only and not type_name.startswith(args.only):
            continue
        groups, together = [], {}
        for name, value in {**values, "null": "NULL"}.items():
            want = expected(connector, type_name, name)
            if want or type_name in single:
                groups.append(({name: value}, want))
            else:
                together[name] = value
        for group, want in [(together, None)] * bool(together) + groups:
            number += 1
            yield Unit(number, type_name, group, want)


class Trip:
    """One connector: a project that writes every unit into a target of its own, and one that reads them all back."""

    def __init__(self, args, databases, folder: Path, connector: str, single=()):
        self.args, self.connector, self.folder = args, connector, folder
        self.units = list(units(args, connector, single))
        if single:
            self.units = [u for u in self.units if u.type_name in single]
        folder.mkdir()
        self.server = None
        variables = {}
        if connector in FILES:
            (folder / "files").mkdir()
            settings = {"connector": "localfiles", "root": str(folder / "files")}
        elif connector in ("sqlite", "duckdb"):
            settings = {"connector": connector, "path": str(folder / "x.db")}
        elif connector in ("postgres", "mysql"):
            self.server = databases.open(connector, folder, folder)
            settings, variables = self.server.connection(), self.server.variables()
        elif connector == "d1":
            stand_in = Path(__file__).resolve().parent.parent / "cases/runner/kt/wrangler_stub.py"
            tool = folder / "wrangler"
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{stand_in}" "{folder / "x.db"}" "$@"\n')
            tool.chmod(0o755)
            settings = {"connector": "d1", "database": "DB", "wrangler": os.path.abspath(args.wrangler or tool)}
        elif connector == "odbc-sqlite":
            settings = {"connector": "odbc", "connection_string": f"Driver=SQLite3;Database={folder / 'x.db'}"}
        elif connector == "odbc-postgres":
            self.server = databases.open("postgres", folder, folder)
            at = self.server.connection()
            settings = {"connector": "odbc", "schema": "public", "connection_string":
                        f"Driver=PostgreSQL Unicode;Servername={at['host']};Port={at['port']};Database={at['database']};Uid={at['user']};Pwd=not-asked-for"}
        else:
            raise Skip(connector)
        self.write_side = Project(args.kedge, folder / "w", {"t": settings}, variables)
        self.read_side = Project(args.kedge, folder / "r", {"t": settings}, variables)
        if connector == "d1" and args.wrangler:   # one local database for both
            for side in ("w", "r"):
                (folder / side / "wrangler.toml").write_text('name = "own"\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "own"\n'
                                                             'database_id = "00000000-0000-0000-0000-000000000000"\n')
            (folder / "w/.wrangler").mkdir()
            (folder / "r/.wrangler").symlink_to(folder / "w/.wrangler")

    def entity(self, unit):
        return f"public.v{unit.number}" if self.connector == "postgres" else f"v{unit.number}"

    def file_options(self):
        return f", format: '{self.connector}'" if self.connector in FILES else ""

    def nodes(self, project, *words):
        document, err = project.run(*words)
        if "nodes" not in document:
            sys.exit(f"{self.connector}: {err[:3000]}")
        return document["nodes"]

    def write_all(self):
        for unit in self.units:
            strategy = "replace" if self.connector in FILES else "append"
            self.write_side.write(f"pipelines/w{unit.number}.sql",
                                  f"INSERT INTO {{{{ sink('t', '{self.entity(unit)}', strategy: '{strategy}'{self.file_options()}) }}}}\n"
                                  f"{unit.rows()}\n")
        return {n["name"]: n for n in self.nodes(self.write_side, "run", "--all")}

    def read_all(self, there):
        for unit in there:
            self.read_side.write(f"pipelines/r{unit.number}.sql",
                                 f"SELECT * FROM {{{{ source('t', '{self.entity(unit)}'{self.file_options()}, "
                                 f"columns: {{ k: 'integer', v: {quoted(unit.type_name)} }}) }}}}\n")
            same = "json(r.v) IS NOT DISTINCT FROM json(w.v)" if unit.type_name == "json" else \
                "r.v IS NOT DISTINCT FROM w.v AND r.v::VARCHAR IS NOT DISTINCT FROM w.v::VARCHAR"
            sql = (f"SELECT w.k FROM ({unit.rows()}) w FULL JOIN staging.r{unit.number} r USING (k) "
                   f"WHERE w.k IS NULL OR r.k IS NULL OR typeof(r.v) <> typeof(w.v) OR NOT ({same})")
            self.read_side.write(f"pipelines/configs/r{unit.number}.yml",
                                 dump_yaml({"pipeline": f"r{unit.number}", "checks": [{"custom_sql": {"name": "same", "sql": sql}}]}))
        return self.nodes(self.read_side, "test", "--select", "r*")

    def outcomes(self):
        """For each unit what happened to it: None where all its values came back equal."""
        written, there, got = self.write_all(), [], {}
        for unit in self.units:
            stage, node = written[f"w{unit.number}"], written[f"t.{self.entity(unit)}"]
            if stage["status"] != "success":
                sys.exit(f"{unit.shown()}: {stage['error']}")
            if node["status"] == "success":
                there.append(unit)
            else:
                got[unit] = f"{node['error']['code']} (write): {node['error']['message']}"
        read = self.read_all(there) if there else []
        for unit in there:
            parts = {n["kind"]: n for n in read if n["name"] == f"r{unit.number}" or n["name"].startswith(f"check_r{unit.number}_")
                     or n.get("entity") == self.entity(unit)}
            failed = [parts[kind] for kind in ("source", "pipeline") if parts[kind]["status"] != "success"]
            if failed:
                got[unit] = f"{failed[0]['error']['code']} (read): {failed[0]['error']['message']}"
            else:
                check = parts["check"]
                got[unit] = None if check["status"] == "success" else f"ALTERED {check['error']['message'][-60:]}"
        if self.server:
            self.server.close()
        return got


def run(args, databases, root, connector):
    trip = Trip(args, databases, root / connector, connector)
    got = trip.outcomes()
    good = sum(len(u.values) for u in got if got[u] is None and u.want is None) + sum(1 for u in got if u.want and (got[u] or "").startswith(u.want))
    bad = [u for u in got if (got[u] is not None if u.want is None else not (got[u] or "").startswith(u.want))]
    failures = [f"{u.shown()}: expected {u.want or 'equal'}, got {got[u] or 'equal'}" for u in bad if u.want]
    mixed = {u.type_name for u in bad if not u.want}
    if mixed:   # value by value, to say which
        again = Trip(args, databases, root / f"{connector}-single", connector, mixed).outcomes()
        for unit, text in again.items():
            if unit.want is None and text is not None:
                failures.append(f"{unit.shown()}: expected equal, got {text}")
            elif unit.want is None:
                good += 1
    return good, failures


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--duckdb-lib")
    parser.add_argument("--wrangler")
    parser.add_argument("--connectors", default=",".join(CONNECTORS))
    parser.add_argument("--only")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    args.kedge = os.path.abspath(args.kedge)
    root = Path(tempfile.mkdtemp(prefix="trip-"))
    databases = Databases(args.duckdb_lib)
    passed, failed, skipped = 0, 0, 0
    try:
        for connector in args.connectors.split(","):
            try:
                good, failures = run(args, databases, root, connector)
            except Skip as why:
                print(f"skip {connector}: {why}")
                skipped += 1
                continue
            passed += good
            failed += len(failures)
            for text in failures:
                print(f"FAIL {connector} {text[:400]}")
            print(f"{connector}: {good} equal or refused as expected, {len(failures)} not", flush=True)
    finally:
        databases.stop()
        if args.keep:
            shutil.copytree(root, args.keep, dirs_exist_ok=True)
        shutil.rmtree(root, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed and not skipped else 1


if __name__ == "__main__":
    sys.exit(main())
