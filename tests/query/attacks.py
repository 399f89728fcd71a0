"""Queries that try to break the SQL kedge writes: odd names, long paths, colliding aliases, hostile values, edge numbers, empty tables.
Same forms as checks.py; both sets run over one database."""
from checks import ALL, over, by


def q(engine, name):
    return f"`{name.replace('`', '``')}`" if engine == "mysql" else '"' + name.replace('"', '""') + '"'


CHAIN = 6
LONG = "a_rather_long_name_of_a_join"  # four of them are longer than any alias may be
BACKSLASH = "back\\slash"


def DATA(engine):
    n = lambda name: q(engine, name)  # noqa: E731
    slash = BACKSLASH.replace("\\", "\\\\") if engine == "mysql" else BACKSLASH
    chain = "".join(f"CREATE TABLE link{i} (id INTEGER PRIMARY KEY, up INTEGER, side INTEGER, v INTEGER);\n"
                    f"INSERT INTO link{i} VALUES (1, 2, 1, {i}1), (2, 1, 2, {i}2), (3, NULL, NULL, {i}3);\n" for i in range(CHAIN))
    return f"""
CREATE TABLE {n('Odd Table')} ({n('select')} INTEGER, {n('Group')} VARCHAR(30), {n('a.b')} INTEGER, {n("it's")} INTEGER,
  {n('q"q')} INTEGER, {n('back`tick')} INTEGER, {n('größe')} INTEGER, {n('order')} DATE);
INSERT INTO {n('Odd Table')} VALUES (1, 'one', 10, 100, 1000, 1, 5, '2024-02-29'), (2, 'two', 20, 200, 2000, 2, 6, '1969-12-31'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE texts (id INTEGER PRIMARY KEY, t VARCHAR(60));
INSERT INTO texts VALUES (1, 'plain'), (2, 'it''s'), (3, '"double"'), (4, 'semi; -- colon'), (5, '{slash}'), (6, '100%'), (7, 'äöü €'), (8, '{{braces}}'), (9, ''), (10, NULL);
CREATE TABLE numbers (id INTEGER PRIMARY KEY, big BIGINT, exact DECIMAL(20,4), real_ DOUBLE PRECISION);
INSERT INTO numbers VALUES (1, 9007199254740993, 12345678901234.5678, 0.1), (2, -9007199254740993, 0.0001, 0.2), (3, 9223372036854775807, -1.5000, 1e300), (4, 0, NULL, NULL);
CREATE TABLE empty_one (id INTEGER PRIMARY KEY, v INTEGER, d DATE, up INTEGER);
CREATE TABLE staff (id INTEGER PRIMARY KEY, boss INTEGER, name VARCHAR(10), pay INTEGER);
INSERT INTO staff VALUES (1, NULL, 'Ada', 9), (2, 1, 'Ben', 7), (3, 1, 'Cy', 6), (4, 2, 'Di', 3);
CREATE TABLE pairs_left (x INTEGER, y INTEGER, n INTEGER);
CREATE TABLE pairs_right (x INTEGER, y INTEGER, word VARCHAR(5));
INSERT INTO pairs_left VALUES (1, 1, 1), (1, 2, 2), (2, NULL, 3), (9, 9, 4);
INSERT INTO pairs_right VALUES (1, 1, 'aa'), (1, 2, 'ab'), (2, 1, 'ba'), (2, NULL, 'b?');
{chain}"""


def MODELS(engine):
    n = lambda name: q(engine, name)  # noqa: E731
    links = {}
    for i in range(CHAIN):
        joins = []
        if i + 1 < CHAIN:
            joins = [{"target_model": f"link{i + 1}", "name": LONG, "join_pairs": [["up", "id"]]},
                     {"target_model": f"link{i + 1}", "name": LONG + "_2", "join_pairs": [["side", "id"]]}]
        links[f"link{i}"] = {"sql_table": f"link{i}", "joins": joins, "columns": [{"name": c, "type": "INT", "primary_key": c == "id"} for c in ("id", "up", "side", "v")]}
    return {
        **links,
        "order": {"sql_table": n("Odd Table"), "default_time_dimension": "when", "columns": [
            {"name": "select", "sql": n("select"), "type": "INT"}, {"name": "group", "sql": n("Group")}, {"name": "dotted", "sql": n("a.b"), "type": "INT"},
            {"name": "quote", "sql": n("it's"), "type": "INT"}, {"name": "double", "sql": n('q"q'), "type": "INT"}, {"name": "tick", "sql": n("back`tick"), "type": "INT"},
            {"name": "size", "sql": n("größe"), "type": "INT"}, {"name": "when", "sql": n("order"), "type": "DATE"},
            {"name": "twice", "sql": f"{n('select')} * 2 -- twice", "type": "INT"}],
            "joins": [{"target_model": "texts", "name": "left", "join_pairs": [["select", "id"]]}, {"target_model": "texts", "name": "Left", "join_pairs": [["tick", "id"]]},
                      {"target_model": "texts", "name": "order", "join_pairs": [["select", "id"]]}]},
        "texts": {"sql_table": "texts", "columns": [{"name": "id", "type": "INT", "primary_key": True}, {"name": "number", "sql": "id", "type": "INT"}, {"name": "t"}]},
        "numbers": {"sql_table": "numbers", "columns": [{"name": "id", "type": "INT"}, {"name": "big", "type": "INT"}, {"name": "exact", "type": "DOUBLE"},
                                                        {"name": "real", "sql": "real_", "type": "DOUBLE"}, {"name": "huge", "sql": "big", "type": "INT", "filter": "huge > 1"}],
                    "aggregations": [{"name": "scaled", "formula": "SUM({value} * {by})", "params": [{"name": "by", "sql": "1 + 1"}]}]},
        "nothing": {"sql_table": "empty_one", "default_time_dimension": "d", "columns": [{"name": "id", "type": "INT", "primary_key": True}, {"name": "v", "type": "INT"},
                                                                                     {"name": "d", "type": "DATE"}, {"name": "up", "type": "INT"}],
                    "joins": [{"target_model": "texts", "join_pairs": [["up", "id"]]}]},
        "staff": {"sql_table": "staff", "columns": [{"name": "id", "type": "INT", "primary_key": True}, {"name": "boss_id", "sql": "boss", "type": "INT"}, {"name": "name"}, {"name": "pay", "type": "INT"},
                                                    {"name": "chief", "sql": "staff.boss.boss.name"}, {"name": "raise", "sql": "STAFF.pay + 1", "type": "INT"}],
                  "joins": [{"target_model": "staff", "name": "boss", "join_pairs": [["boss_id", "id"]]}]},
        "pairs_left": {"sql_table": "pairs_left", "columns": [{"name": "x", "type": "INT"}, {"name": "y", "type": "INT"}, {"name": "n", "type": "INT"}],
                       "joins": [{"target_model": "pairs_right", "join_pairs": [["x", "x"], ["y", "y"]]},
                                 {"target_model": "pairs_right", "name": "must", "join_type": "inner", "join_pairs": [["x", "x"], ["y", "y"]]}]},
        "pairs_right": {"sql_table": "pairs_right", "columns": [{"name": "x", "type": "INT"}, {"name": "y", "type": "INT"}, {"name": "word"}]},
    }


def table(*rows):
    return " UNION ALL ".join("SELECT " + ", ".join(row) for row in rows)


LINKED = "FROM link0 a LEFT JOIN link1 b ON a.up = b.id LEFT JOIN link2 c ON b.up = c.id LEFT JOIN link3 d ON c.up = d.id"

CHECKS = [
    ("odd names", over(["dotted:sum", "quote:max", "double:min", "tick:sum", "size:sum", "twice:sum"], ["group"], root="order"),
     table(["'one'", "10", "100", "1000", "1", "5", "2"], ["'two'", "20", "200", "2000", "2", "6", "4"], ["NULL"] * 6 + ["6"])),
    ("reserved words as hops, two that differ in case only, one that is the root's name", over(["*:count"], ["left.t", "Left.t", "order.t"], root="order"),
     table(["'plain'", "'plain'", "'plain'", "1"], ["'it''s'", "'it''s'", "'it''s'", "1"], ["'\"double\"'", "NULL", "'\"double\"'", "1"])),
    ("days before the epoch", over(["*:count"], time_dimensions=by("week", "when"), root="order", filters=["when is not null"], order=[{"column": "when"}]),
     table(["'1969-12-29'", "1"], ["'2024-02-26'", "1"])),
    ("paths longer than an alias may be", over(["*:count"], [f"{LONG}.{LONG}.{LONG}.v", f"{LONG}.{LONG}.{LONG}_2.v"], root="link0"),
     "SELECT d.v, e.v, COUNT(*) " + LINKED + " LEFT JOIN link3 e ON c.side = e.id GROUP BY d.v, e.v"),
    ("an aggregate over such a path", over([f"{LONG}.{LONG}.{LONG}.v:sum", f"{LONG}.{LONG}.{LONG}_2.v:sum"], ["id"], root="link0"),
     "SELECT a.id, d.v, e.v " + LINKED + " LEFT JOIN link3 e ON c.side = e.id"),
    ("stages with columns longer than a name may be",
     {"queries": [{"name": "s", "source_model": "link0", "dimensions": ["id", f"{LONG}.{LONG}.{LONG}.v", f"{LONG}.{LONG}.{LONG}_2.v"]},
                  {"source_model": "s", "dimensions": [f"{LONG}__{LONG}__{LONG}__v", f"{LONG}__{LONG}__{LONG}_2__v"], "measures": ["id:max"]}]},
     "SELECT d.v, e.v, MAX(a.id) " + LINKED + " LEFT JOIN link3 e ON c.side = e.id GROUP BY d.v, e.v"),
    ("deep joins", over(["*:count"], [".".join([LONG] * (CHAIN - 1) + ["v"])], root="link0"),
     "SELECT f.v, COUNT(*) " + LINKED + " LEFT JOIN link4 e ON d.up = e.id LEFT JOIN link5 f ON e.up = f.id GROUP BY f.v"),
    ("self joins, and a path behind the model's own name", over([], ["name", "boss.name", "chief", "raise"], root="staff"),
     table(["'Ada'", "NULL", "NULL", "10"], ["'Ben'", "'Ada'", "NULL", "8"], ["'Cy'", "'Ada'", "NULL", "7"], ["'Di'", "'Ben'", "'Ada'", "4"])),
    ("aggregates over a self join", over(["pay:sum", "boss.pay:sum", "boss.*:count"], root="staff"), table(["25", "16", "2"])),
    ("composite keys with a NULL part", over(["n:sum", "pairs_right.*:count"], ["pairs_right.word"], root="pairs_left"),
     table(["'aa'", "1", "1"], ["'ab'", "2", "1"], ["NULL", "7", "0"])),
    ("an inner join leaves rows out", over(["n:sum", "*:count"], ["must.word"], root="pairs_left"), table(["'aa'", "1", "1"], ["'ab'", "2", "1"])),
    # hostile values
    *[(f"the value {value!r}", over(["number:max"], filters=[f"t = {literal}"], root="texts"), table([str(number)])) for number, value, literal in (
        (2, "it's", "'it''s'"), (3, '"double"', "'\"double\"'"), (4, "semi; -- colon", "'semi; -- colon'"), (5, BACKSLASH, f"'{BACKSLASH}'"), (7, "äöü €", "'äöü €'"),
        (8, "{braces}", "'{{braces}}'"), (9, "", "''"), (1, "plain", '"plain"'))],
    *[(f"the variable {value!r}", over(["number:max"], filters=["t = {v}", "t = '{v}'", "t in {all}"], variables={"v": value, "all": [value, "x' OR 1=1 --"]}, root="texts"), table([str(number)]))
      for number, value in ((2, "it's"), (3, '"double"'), (4, "semi; -- colon"), (5, BACKSLASH), (7, "äöü €"), (8, "{braces}"))],
    ("no variable breaks out", over(["*:count"], filters=["t = '{v}' or t = \"{v}\" or t = {v}"], variables={"v": "' OR '1'='1"}, root="texts"), table(["0"])),
    ("no variable breaks out by a backslash", over(["*:count"], filters=["t = '{v}' or t = '{w}'"], variables={"v": "\\", "w": " OR 1=1 -- "}, root="texts"), table(["0"])),
    ("like, with NULL left out", over(["*:count"], filters=["t like '%s'"], root="texts"), "SELECT COUNT(*) FROM texts WHERE t LIKE '%s'"),
    ("an empty text is not NULL", over(["*:count"], filters=["not (t is null)", "t <> 'plain'"], root="texts"), table(["8"])),
    # numbers
    ("whole numbers beyond 2^53 keep every digit", over([], ["big"], root="numbers", filters=["id <= 3"]), "SELECT CAST(big AS CHAR(25)) FROM numbers WHERE id <= 3", ALL),
    ("extremes of 64 bits", over(["big:max", "big:min"], root="numbers"), table(["'9223372036854775807'", "'-9007199254740993'"])),
    ("decimals", over(["exact:max"], root="numbers", filters=["id = 2"]), table(["0.0001"])),
    ("a column's own name in its filter", over(["huge:count"], root="numbers"), table(["2"])),
    ("a parameter of an aggregation keeps together", over(["id:count", "real:scaled", "real:scaled(by=2 - 1)"], root="numbers", filters=["id <= 2"]), table(["2", "0.6", "0.3"])),
    ("precedence",
     over([{"formula": "2 ** 3 ** 2 + id:max", "name": "a"}, {"formula": "10 - 4 - id:max", "name": "b"}, {"formula": "-(id:max ** 2)", "name": "c"}, {"formula": "24 / 2 / id:max", "name": "d"}], root="numbers", filters=["id = 4"]), table(["516", "2", "-16", "3"])),
    # nothing there
    ("no rows at all", over(["*:count", "v:sum", "v:avg", "v:max", "texts.*:count"], root="nothing"), table(["0", "NULL", "NULL", "NULL", "0"])),
    ("no rows in any group", over(["*:count", "v:sum"], ["up"], root="nothing"), "SELECT 1, 2, 3 FROM empty_one"),
    ("no rows for a transform", over([{"formula": "cumsum(v:sum)", "name": "c"}, {"formula": "change(v:sum)", "name": "e"}], time_dimensions=by("month", "d"), root="nothing"), "SELECT 1, 2, 3 FROM empty_one"),
    ("limit nothing", over([], ["id"], limit=0, root="staff"), "SELECT 1 FROM empty_one"),
    ("offset beyond the end", over([], ["id"], offset=99, order=[{"column": "id"}], root="staff"), "SELECT 1 FROM empty_one"),
    ("the last page", over([], ["id"], limit=2, offset=3, order=[{"column": "id"}], root="staff"), table(["4"])),
    ("order by a key and by a path", over(["pay:sum"], ["id", "boss.name"], order=[{"staff.pay_sum": "DESC"}, {"boss.name": "ascending"}], limit=2, root="staff"), table(["1", "NULL", "9"], ["2", "'Ada'", "7"])),
    ("a filter on a group that is NULL", over(["*:count"], ["boss_id"], filters=["boss_id is null"], root="staff"), table(["NULL", "1"])),
    ("a constant is one row", over(["7", {"formula": "'a' || 'b'", "name": "w"}], root="staff"), table(["7", "'ab'"])),
    ("a constant of an empty table", over(["7"], root="nothing"), table(["7"])),
    ("a constant beside a cross-model aggregate", over(["7", "boss.pay:sum"], root="staff"), table(["7", "16"])),
    ("a constant for each group", over(["7"], ["boss_id"], root="staff"), table(["NULL", "7"], ["1", "7"], ["2", "7"])),
    ("between, in, not in with NULL rows", over(["*:count"], filters=["boss_id not in (2)", "pay between 6 and 9"], root="staff"), "SELECT COUNT(*) FROM staff WHERE boss NOT IN (2) AND pay BETWEEN 6 AND 9"),
]

# Failures of the data on a model that drifted elsewhere: the same form as DRIFT of checks.py.
DATA_ERRORS = [
    ("a number out of range beside drift", over([{"formula": "big:max * 2", "name": "x"}], root="numbers"), "query_failed", None, ["duckdb", "postgres", "mysql"]),
    ("an overflow of a sum beside drift", over(["big:sum"], filters=["id in (1, 3)"], root="numbers"), "query_failed", None, ["sqlite"]),
    ("a text that is no time beside drift", over(["*:count"], ["exact"], time_dimensions=by("month", "real", date_range=["soon", "later"]), root="numbers"), "schema_drift", ["numbers"], ["duckdb", "postgres"]),
    ("what a filter compares is not there", over(["real:sum"], filters=["exact > 1"], root="numbers"), "schema_drift", ["numbers"]),
    ("no drift for a sum of what is there", over(["real:max"], filters=["id = 1"], root="numbers"), None, None),
]

HOSTILE = "id; DROP TABLE texts; --"
ERRORS = [
    ("a hostile dimension", over([], [HOSTILE], root="texts"), "unknown_reference"),
    ("a hostile time dimension", over(["*:count"], time_dimensions=[{"dimension": "t' OR '1'='1", "granularity": "day"}], root="texts"), "unknown_reference"),
    ("a hostile measure", over([HOSTILE + ":sum"], root="texts"), "formula_syntax"),
    ("a hostile filter", over(["*:count"], filters=["t = 'x'; DROP TABLE texts"], root="texts"), "formula_syntax"),
    ("a comment in a filter", over(["*:count"], filters=["t = 'x' /* */ or 1 = 1"], root="texts"), "formula_syntax"),
    ("a subquery in a filter", over(["*:count"], filters=["t in (select t from texts)"], root="texts"), "formula_syntax"),
    ("a hostile order", over([], ["t"], order=[{"column": "1; DROP TABLE texts"}], root="texts"), "formula_syntax"),
    ("a hostile root", over(["*:count"], root='texts" t; --'), "unknown_model"),
    ("the same key twice", over([], ["t", "t"], root="texts"), "duplicate_name"),
    ("a measure under a dimension's key", over([{"formula": "*:count", "name": "t"}], ["t"], root="texts"), "duplicate_name"),
    ("a negative limit", over([], ["t"], limit=-1, root="texts"), "bad_value"),
    ("a limit that is no number", over([], ["t"], limit="1; DROP TABLE texts", root="texts"), "bad_value"),
]
