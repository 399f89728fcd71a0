"""The demo data, the models over it, and the checks: (name, query, SQL by hand, engines?, flags?).
The SQL is a text, or a function of the words of the engine (month buckets and the like)."""

ALL = ["sqlite", "duckdb", "postgres", "mysql"]
STATISTICS = ["sqlite", "duckdb", "postgres"]


def DATA(engine):
    stamp = "DATETIME" if engine in ("mysql", "sqlite") else "TIMESTAMP"
    key = "INTEGER PRIMARY KEY"
    return f"""
CREATE TABLE regions (id {key}, name VARCHAR(20), area INTEGER);
CREATE TABLE depots (id {key}, region_id INTEGER, city VARCHAR(20), capacity INTEGER, opened DATE);
CREATE TABLE shipments (id {key}, depot_id INTEGER, return_depot_id INTEGER, state VARCHAR(10), weight DOUBLE PRECISION,
  price INTEGER, express BOOLEAN, booked_at {stamp}, booked_on DATE);
CREATE TABLE rates (depot_id INTEGER, level INTEGER, rate INTEGER);
INSERT INTO regions VALUES (1, 'north', 100), (2, 'south', 50), (3, NULL, 7);
INSERT INTO depots VALUES (1, 1, 'Oslo', 10, '2020-01-15'), (2, 1, 'Bergen', 20, '2020-02-20'), (3, 2, 'Rome', 30, '2021-03-01'),
  (4, NULL, NULL, 40, NULL), (5, 3, 'Void', 5, '2022-12-31');
INSERT INTO shipments VALUES
  (1, 1, 2, 'sent', 1.5, 10, TRUE, '2024-01-31 23:59:59', '2024-01-31'),
  (2, 1, 3, 'sent', 2.5, 20, FALSE, '2024-02-01 00:00:00', '2024-02-01'),
  (3, 1, 1, 'open', NULL, 30, TRUE, '2024-02-29 12:30:15', '2024-02-29'),
  (4, 2, NULL, 'sent', 4.25, 15, FALSE, '2024-03-03 08:00:00', '2024-03-03'),
  (5, 3, 1, 'open', 0, 0, NULL, '2024-03-04 09:10:11', '2024-03-04'),
  (6, 3, 2, NULL, 8, 5, TRUE, '2024-03-31 10:00:00', '2024-03-31'),
  (7, NULL, 4, 'lost', 3, 7, FALSE, '2024-05-05 11:00:00', '2024-05-05'),
  (8, 4, 5, 'sent', 2, 9, TRUE, '2024-05-06 11:00:00', '2024-05-06'),
  (9, NULL, NULL, 'it''s', 1, 1, NULL, NULL, NULL);
INSERT INTO rates VALUES (1, 1, 10), (1, 2, 20), (3, 1, 5), (3, 1, 5);
"""


def MODELS(engine):
    return {
        "regions": {"sql_table": "regions", "columns": [
            {"name": "id", "type": "INT", "primary_key": True}, {"name": "name"}, {"name": "area", "type": "INT"}]},
        "depots": {"sql_table": "depots", "columns": [
            {"name": "id", "type": "INT", "primary_key": True}, {"name": "region_id", "type": "INT"},
            {"name": "city", "type": "TEXT", "label": "Town"}, {"name": "capacity", "type": "INT"},
            {"name": "opened", "type": "DATE"},
            {"name": "region_name", "sql": "regions.name"},
            {"name": "big", "sql": "capacity", "type": "INT", "filter": "capacity >= 20"}],
            "measures": [{"name": "fill", "formula": "capacity:sum / *:count"}],
            "joins": [{"target_model": "regions", "join_pairs": [["region_id", "id"]]}]},
        "shipments": {"sql_table": "shipments", "default_time_dimension": "booked_on", "columns": [
            {"name": "id", "type": "INT", "primary_key": True}, {"name": "depot_id", "type": "INT"},
            {"name": "return_depot_id", "type": "INT"}, {"name": "state", "type": "TEXT"},
            {"name": "kg", "sql": "weight", "type": "DOUBLE"}, {"name": "price", "type": "INT"},
            {"name": "express", "type": "BOOLEAN"}, {"name": "booked_at", "type": "TIMESTAMP"},
            {"name": "booked_on", "type": "DATE"},
            {"name": "tons", "sql": "kg / 1000.0", "type": "DOUBLE"},
            {"name": "label", "sql": "upper(state) -- shown"},
            {"name": "sent_price", "sql": "price", "type": "INT", "filter": "state = 'sent'"},
            {"name": "northern", "sql": "price", "type": "INT", "filter": "depots.regions.name = 'north'"},
            {"name": "city", "sql": "depots.city"},
            {"name": "rank_in_depot", "sql": "(SELECT COUNT(*) FROM shipments s WHERE s.depot_id = shipments.depot_id AND s.id <= shipments.id)", "type": "INT"}],
            "measures": [{"name": "mean_price", "formula": "price:sum / *:count", "label": "Mean"},
                         {"name": "double_mean", "formula": "mean_price * 2"},
                         {"name": "share", "formula": "kg:sum / price:sum"},
                         {"name": "whole", "formula": "kg:sum", "type": "INT"}],
            "aggregations": [
                {"name": "spread", "formula": "MAX({value}) - MIN({value})"},
                {"name": "above", "formula": "SUM(CASE WHEN {value} > {floor} THEN 1 ELSE 0 END)", "params": [{"name": "floor", "sql": "5"}]}],
            "joins": [{"target_model": "depots", "join_pairs": [["depot_id", "id"]]},
                      {"target_model": "depots", "name": "returns", "join_pairs": [["return_depot_id", "id"]]},
                      {"target_model": "rates", "join_pairs": [["depot_id", "depot_id"]]}]},
        "open_shipments": {"sql_table": "shipments", "filters": ["state = 'open' OR state IS NULL"], "columns": [
            {"name": "id", "type": "INT", "primary_key": True}, {"name": "price", "type": "INT"}, {"name": "depot_id", "type": "INT"}],
            "joins": [{"target_model": "big_depots", "join_pairs": [["depot_id", "id"]]}]},
        "big_depots": {"sql": "SELECT * FROM depots -- all\n;", "filters": ["capacity > 10"], "columns": [
            {"name": "id", "type": "INT", "primary_key": True}, {"name": "city"}, {"name": "capacity", "type": "INT"}]},
        "stamps": {"sql": "SELECT 1 AS n, TIMESTAMPTZ '2024-01-31 23:30:00.500+00' AS t UNION ALL SELECT 2, TIMESTAMPTZ '2024-06-30 21:30:00+00' UNION ALL SELECT 3, NULL",
                   "columns": [{"name": "n", "type": "INT"}, {"name": "t", "type": "TIMESTAMP"}]},
        "rates": {"sql_table": "rates", "columns": [{"name": "depot_id", "type": "INT"}, {"name": "level", "type": "INT"}, {"name": "rate", "type": "INT"}]},
        "monthly": {"query_variables": {"least": 0}, "measures": [{"name": "best", "formula": "total:max"}], "source_queries": [
            {"name": "base", "source_model": "shipments", "time_dimensions": [{"dimension": "booked_on", "granularity": "month"}],
             "dimensions": ["depots.city"], "measures": [{"formula": "price:sum", "name": "total"}, "*:count"], "filters": ["price >= {least}"]},
            {"source_model": "base", "dimensions": ["booked_on", "depots__city"], "measures": [{"formula": "total:sum", "name": "total"}]}]},
    }


# After the checks the live column behind depots.capacity goes. (name, query, error, touched models)
DRIFT = [
    ("a dimension of a joined model", {"source_model": "shipments", "dimensions": ["depots.capacity"]}, "schema_drift", ["depots", "shipments"]),
    ("an aggregate over a join", {"source_model": "shipments", "measures": ["*:count", "depots.capacity:sum"]}, "schema_drift", ["depots", "shipments"]),
    ("a saved measure of a joined model", {"source_model": "shipments", "measures": ["depots.fill"]}, "schema_drift", ["depots", "shipments"]),
    ("a filter", {"source_model": "shipments", "measures": ["*:count"], "filters": ["depots.capacity > 1"]}, "schema_drift", ["depots", "shipments"]),
    ("a model whose filter uses it", {"source_model": "big_depots", "measures": ["*:count"]}, "schema_drift", ["big_depots"]),
    ("drift that the query does not touch", {"source_model": "shipments", "dimensions": ["depots.city"], "measures": ["*:count"]}, None, None),
    ("a data error beside drift", {"source_model": "shipments", "dimensions": ["depots.city"], "time_dimensions": [{"dimension": "booked_on", "granularity": "month", "date_range": ["soon", "later"]}], "measures": ["*:count"]}, "query_failed", None, ["postgres"]),
    ("--check-drift sees it before", {"source_model": "shipments", "dimensions": ["depots.city"], "measures": ["*:count"]}, "schema_drift", ["depots", "shipments"], ALL, ["--check-drift"]),
]
DRIFT_SQL = "ALTER TABLE depots DROP COLUMN capacity;\nALTER TABLE numbers DROP COLUMN exact;"


class Words:
    def __init__(self, engine):
        self.engine = engine

    def month(self, c):
        return {"sqlite": f"strftime('%Y-%m-01', {c})", "mysql": f"DATE_FORMAT({c}, '%Y-%m-01')"}.get(
            self.engine, f"CAST(date_trunc('month', {c}) AS DATE)")

    def bucket(self, unit, c):
        if self.engine in ("duckdb", "postgres"):
            return f"date_trunc('{unit}', {c})"
        table = {
            "sqlite": {"year": f"strftime('%Y-01-01', {c})", "day": f"date({c})", "hour": f"strftime('%Y-%m-%d %H:00:00', {c})",
                       "minute": f"strftime('%Y-%m-%d %H:%M:00', {c})", "second": f"strftime('%Y-%m-%d %H:%M:%S', {c})"},
            "mysql": {"year": f"DATE_FORMAT({c}, '%Y-01-01')", "day": f"DATE({c})", "hour": f"DATE_FORMAT({c}, '%Y-%m-%d %H:00:00')",
                      "minute": f"DATE_FORMAT({c}, '%Y-%m-%d %H:%i:00')", "second": f"DATE_FORMAT({c}, '%Y-%m-%d %H:%i:%s')"}}
        return table[self.engine][unit]

    def real(self, c):
        return f"CAST({c} AS {'REAL' if self.engine == 'sqlite' else 'DOUBLE' if self.engine != 'postgres' else 'DOUBLE PRECISION'})"


def words_of(engine):
    return Words(engine)


def over(measures=(), dimensions=(), **more):
    query = {"source_model": more.pop("root", "shipments")}
    if measures:
        query["measures"] = list(measures)
    if dimensions:
        query["dimensions"] = list(dimensions)
    query.update(more)
    return query


def by(unit, column="booked_on", **more):
    return [{"dimension": column, "granularity": unit, **more}]


M = "(SELECT s.*, d.city, d.capacity, d.region_id, r.name AS region FROM shipments s LEFT JOIN depots d ON s.depot_id = d.id LEFT JOIN regions r ON d.region_id = r.id) m"

CHECKS = [
    # dimensions, local aggregates
    ("distinct tuples with a NULL group", over([], ["state"]), "SELECT DISTINCT state FROM shipments"),
    ("sum and count by a dimension", over(["price:sum", "*:count"], ["state"]), "SELECT state, SUM(price), COUNT(*) FROM shipments GROUP BY state"),
    ("no dimension", over(["price:sum", "price:avg", "price:min", "price:max"]), lambda w: f"SELECT SUM(price), AVG({w.real('price')}), MIN(price), MAX(price) FROM shipments"),
    ("counts", over(["kg:count", "state:count_distinct", "state:count_distinct_approx"]), "SELECT COUNT(weight), COUNT(DISTINCT state), COUNT(DISTINCT state) FROM shipments"),
    ("boolean dimension and sum", over(["express:sum", "*:count"], ["express"]),
     "SELECT CASE WHEN express THEN 'true' WHEN NOT express THEN 'false' END, SUM(CASE WHEN express THEN 1 WHEN NOT express THEN 0 END), COUNT(*) FROM shipments GROUP BY express"),
    ("derived column", over(["tons:sum"], ["label"]), "SELECT UPPER(state), SUM(weight / 1000.0) FROM shipments GROUP BY UPPER(state)"),
    ("correlated subquery column", over([], ["id", "rank_in_depot"]), "SELECT a.id, (SELECT COUNT(*) FROM shipments s WHERE s.depot_id = a.depot_id AND s.id <= a.id) FROM shipments a"),
    ("filtered column", over(["sent_price:sum", "sent_price:count"], ["depot_id"]),
     "SELECT depot_id, SUM(CASE WHEN state = 'sent' THEN price END), COUNT(CASE WHEN state = 'sent' THEN price END) FROM shipments GROUP BY depot_id"),
    ("filter across joins", over(["northern:sum"], ["state"]), f"SELECT state, SUM(CASE WHEN region = 'north' THEN price END) FROM {M} GROUP BY state"),
    ("saved measures, nested", over(["mean_price", "double_mean"], ["state"]), lambda w: f"SELECT state, {w.real('SUM(price)')} / COUNT(*), 2 * {w.real('SUM(price)')} / COUNT(*) FROM shipments GROUP BY state"),
    ("division by zero is NULL", over(["share"], ["id"]), "SELECT id, SUM(weight) / NULLIF(SUM(price), 0) FROM shipments GROUP BY id"),
    ("arithmetic", over([{"formula": "(price:sum - 1) * 2 + -*:count", "name": "x"}], ["state"]), "SELECT state, (SUM(price) - 1) * 2 - COUNT(*) FROM shipments GROUP BY state"),
    ("scalar functions", over([{"formula": "round(coalesce(kg:sum, 0) / 3, 2)", "name": "x"}, {"formula": "greatest(price:max, 12)", "name": "y"}, {"formula": "price:sum ** 2", "name": "z"}, {"formula": "abs(-price:min) + mod(price:max, 7)", "name": "q"}], ["state"]),
     lambda w: f"SELECT state, {'ROUND(CAST(COALESCE(SUM(weight), 0) / 3.0 AS NUMERIC), 2)' if w.engine == 'postgres' else 'ROUND(COALESCE(SUM(weight), 0) / 3.0, 2)'}, CASE WHEN MAX(price) > 12 THEN MAX(price) ELSE 12 END, SUM(price) * SUM(price), MIN(price) + MAX(price) % 7 FROM shipments GROUP BY state"),
    ("result cast", over(["whole"]), lambda w: f"SELECT {'CAST(SUM(weight) AS SIGNED)' if w.engine == 'mysql' else 'CAST(SUM(weight) AS INTEGER)' if w.engine == 'sqlite' else 'CAST(SUM(weight) AS BIGINT)'} FROM shipments"),
    ("custom aggregation", over(["price:spread", "price:above", "price:above(floor=12)"], ["depot_id"]),
     "SELECT depot_id, MAX(price) - MIN(price), SUM(CASE WHEN price > 5 THEN 1 ELSE 0 END), SUM(CASE WHEN price > 12 THEN 1 ELSE 0 END) FROM shipments GROUP BY depot_id"),
    ("weighted average", over(["kg:weighted_avg(weight=price)"], ["state"]), "SELECT state, SUM(weight * price) / NULLIF(SUM(CASE WHEN weight IS NOT NULL THEN price END), 0) FROM shipments GROUP BY state"),
    ("deviations", over(["price:stddev_samp", "price:stddev_pop", "price:var_samp", "price:var_pop"]),
     lambda w: "SELECT stddev_samp(price), stddev_pop(price), var_samp(price), var_pop(price) FROM shipments" if w.engine != "sqlite" else
     "WITH m AS (SELECT AVG(price * 1.0) a, COUNT(*) n FROM shipments), v AS (SELECT SUM((price - a) * (price - a)) s, MAX(n) n FROM shipments, m) "
     "SELECT pow(s / (n - 1), 0.5), pow(s / n, 0.5), s / (n - 1), s / n FROM v"),
    ("median and percentile", over(["price:median", "price:percentile(p=0.25)"]),
     lambda w: {"duckdb": "SELECT quantile_cont(price, 0.5), quantile_cont(price, 0.25) FROM shipments", "sqlite": "SELECT 9, 5"}.get(
         w.engine, "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price), percentile_cont(0.25) WITHIN GROUP (ORDER BY price) FROM shipments"), STATISTICS),
    ("correlation", over(["kg:corr(other=price)", "kg:covar_pop(other=price)"]),
     lambda w: "SELECT corr(weight, price), covar_pop(weight, price) FROM shipments" if w.engine != "sqlite" else
     "WITH s AS (SELECT weight x, price * 1.0 y FROM shipments WHERE weight IS NOT NULL AND price IS NOT NULL), m AS (SELECT AVG(x) a, AVG(y) b FROM s) "
     "SELECT SUM((x-a)*(y-b)) / pow(SUM((x-a)*(x-a)) * SUM((y-b)*(y-b)), 0.5), AVG((x-a)*(y-b)) FROM s, m", STATISTICS),
    # joins
    ("one hop", over(["price:sum"], ["depots.city"]), f"SELECT city, SUM(price) FROM {M} GROUP BY city"),
    ("two hops, derived over hops", over(["*:count"], ["depots.regions.name", "city", "depots.region_name"]), f"SELECT region, city, region, COUNT(*) FROM {M} GROUP BY region, city"),
    ("two joins to one model", over(["*:count"], ["depots.city", "returns.city"]),
     "SELECT a.city, b.city, COUNT(*) FROM shipments s LEFT JOIN depots a ON s.depot_id = a.id LEFT JOIN depots b ON s.return_depot_id = b.id GROUP BY a.city, b.city"),
    ("root name in front", over(["shipments.price:sum"], ["shipments.state"]), "SELECT state, SUM(price) FROM shipments GROUP BY state"),
    ("model filters of root and target", over(["price:sum"], ["big_depots.city"], root="open_shipments"),
     "SELECT d.city, SUM(s.price) FROM shipments s LEFT JOIN depots d ON s.depot_id = d.id AND d.capacity > 10 WHERE s.state = 'open' OR s.state IS NULL GROUP BY d.city"),
    # filters, having, order, limit, variables
    ("row filters", over(["price:sum"], ["state"], filters=["price > 5 and (state = 'sent' or state is null)", "not depot_id in (2, 3)"]),
     "SELECT state, SUM(price) FROM shipments WHERE price > 5 AND (state = 'sent' OR state IS NULL) AND NOT depot_id IN (2, 3) GROUP BY state"),
    ("filters over a path", over(["*:count"], filters=["depots.regions.name = 'north'", "depots.city like '%s%'"]), f"SELECT COUNT(*) FROM {M} WHERE region = 'north' AND city LIKE '%s%'"),
    ("group filter", over(["price:sum"], ["state"], filters=["price:sum >= 20 and state is not null"]), "SELECT state, SUM(price) FROM shipments GROUP BY state HAVING SUM(price) >= 20 AND state IS NOT NULL"),
    ("group filter over something not selected", over(["price:sum"], ["state"], filters=["*:count > 1"]), "SELECT state, SUM(price) FROM shipments GROUP BY state HAVING COUNT(*) > 1"),
    ("filter by a saved measure and an alias", over([{"formula": "price:sum", "name": "total"}], ["state"], filters=["total > 8", "mean_price < 20"]), "SELECT state, SUM(price) FROM shipments GROUP BY state HAVING SUM(price) > 8 AND SUM(price) * 1.0 / COUNT(*) < 20"),
    ("order and limit", over(["price:sum"], ["id"], order=[{"price:sum": "desc"}, {"column": "id", "direction": "ASC"}], limit=3, offset=1), "SELECT id, SUM(price) FROM shipments GROUP BY id ORDER BY 2 DESC, 1 LIMIT 3 OFFSET 1"),
    ("offset alone", over([], ["id"], order=["id"] and [{"column": "id"}], offset=6), lambda w: "SELECT id FROM shipments WHERE id > 6 ORDER BY id"),
    ("order by an aggregate not selected", over([], ["state"], order=[{"column": "*:count", "direction": "descending"}, {"column": "state"}], filters=["state in ('sent', 'open')"]), "SELECT state FROM shipments WHERE state IN ('sent', 'open') GROUP BY state ORDER BY COUNT(*) DESC, state"),
    ("raw rows ordered by another column", over([], ["state", "depots.city"], distinct_dimension_values=False, order=[{"column": "id", "direction": "desc"}]), f"SELECT state, city FROM {M} ORDER BY id DESC"),
    ("variables", over(["*:count"], ["state"], filters=["state in {states}", "price > {least}", "state <> 'x{q}'"], variables={"states": ["sent", "it's"], "least": 0, "q": "'; --"}), "SELECT state, COUNT(*) FROM shipments WHERE state IN ('sent', 'it''s') AND price > 0 GROUP BY state"),
    ("run-time variables win", over(["*:count"], filters=["price > {least}"], variables={"least": 1000}), "SELECT COUNT(*) FROM shipments WHERE price > 9", ALL, ["--variables", "least=9"]),
    # time
    ("months with a NULL bucket", over(["price:sum"], time_dimensions=by("month")), lambda w: f"SELECT {w.month('booked_on')}, SUM(price) FROM shipments GROUP BY 1"),
    ("weeks start on Monday", over(["*:count"], time_dimensions=by("week"), filters=["booked_on is not null"], order=[{"column": "booked_on"}]),
     "SELECT '2024-01-29', 2 UNION ALL SELECT '2024-02-26', 2 UNION ALL SELECT '2024-03-04', 1 UNION ALL SELECT '2024-03-25', 1 UNION ALL SELECT '2024-04-29', 1 UNION ALL SELECT '2024-05-06', 1"),
    ("weeks start on Sunday", over(["*:count"], time_dimensions=by("week_sunday"), filters=["booked_on is not null"], order=[{"column": "booked_on"}]),
     "SELECT '2024-01-28', 2 UNION ALL SELECT '2024-02-25', 1 UNION ALL SELECT '2024-03-03', 2 UNION ALL SELECT '2024-03-31', 1 UNION ALL SELECT '2024-05-05', 2"),
    ("quarters", over(["*:count"], time_dimensions=by("quarter", "booked_at"), filters=["booked_at is not null"]), "SELECT '2024-01-01', 6 UNION ALL SELECT '2024-04-01', 2"),
    *[(f"{unit} buckets of a timestamp", over(["*:count"], time_dimensions=by(unit, "booked_at")), lambda w, unit=unit: f"SELECT {w.bucket(unit, 'booked_at')}, COUNT(*) FROM shipments GROUP BY 1") for unit in ("second", "minute", "hour", "day", "year")],
    ("date range holds whole days", over(["*:count"], time_dimensions=by("month", "booked_at", date_range=["2024-01-31", "2024-03-03"])), lambda w: f"SELECT {w.month('booked_at')}, COUNT(*) FROM shipments WHERE booked_at >= '2024-01-31' AND booked_at < '2024-03-04' GROUP BY 1"),
    ("one column at two granularities", over(["*:count"], ["booked_on"], time_dimensions=by("month") + by("year"), filters=["booked_on >= '2024-05-01'"]), "SELECT '2024-05-05', '2024-05-01', '2024-01-01', 1 UNION ALL SELECT '2024-05-06', '2024-05-01', '2024-01-01', 1"),
    ("whole periods only", over(["*:count"], time_dimensions=by("month"), whole_periods_only=True), lambda w: f"SELECT {w.month('booked_on')}, COUNT(*) FROM shipments WHERE booked_on < '2025-01-01' GROUP BY 1"),
    ("time with a zone", over(["n:sum"], root="stamps", time_dimensions=by("month", "t") + by("hour", "t")),
     lambda w: "SELECT CAST(date_trunc('month', t) AS DATE), " + ("to_char(date_trunc('hour', t), 'YYYY-MM-DD HH24:MI:SSTZH:TZM')" if w.engine == "postgres" else "CAST(date_trunc('hour', t) AS VARCHAR) || ':00'")
     + ", SUM(n) FROM (SELECT 1 AS n, TIMESTAMPTZ '2024-01-31 23:30:00.500+00' AS t UNION ALL SELECT 2, TIMESTAMPTZ '2024-06-30 21:30:00+00' UNION ALL SELECT 3, NULL) x GROUP BY 1, 2", ["postgres", "duckdb"]),
    # aggregates over joins
    ("no fan-out", over(["*:count", "price:sum", "depots.capacity:sum", "depots.*:count"], ["state"]),
     "SELECT a.state, a.n, a.p, x.c, COALESCE(x.k, 0) FROM (SELECT state, COUNT(*) n, SUM(price) p FROM shipments GROUP BY state) a LEFT JOIN (SELECT q.state, SUM(d.capacity) c, COUNT(*) k FROM (SELECT DISTINCT state, depot_id FROM shipments) q JOIN depots d ON d.id = q.depot_id GROUP BY q.state) x ON a.state = x.state OR (a.state IS NULL AND x.state IS NULL)"),
    ("over two hops, without a dimension", over(["depots.regions.area:sum", "*:count"]), "SELECT (SELECT SUM(area) FROM regions WHERE id IN (SELECT d.region_id FROM shipments s JOIN depots d ON s.depot_id = d.id)), (SELECT COUNT(*) FROM shipments)"),
    ("only an aggregate over a join", over(["depots.capacity:sum"]), "SELECT SUM(capacity) FROM depots WHERE id IN (SELECT depot_id FROM shipments)"),
    ("one-to-many without a key", over(["*:count", "rates.rate:sum", "rates.*:count"], ["depot_id"]),
     "SELECT s.depot_id, s.n, (SELECT SUM(rate) FROM rates r WHERE r.depot_id = s.depot_id), (SELECT COUNT(*) FROM rates r WHERE r.depot_id = s.depot_id) FROM (SELECT depot_id, COUNT(*) n FROM shipments GROUP BY depot_id) s"),
    ("measure of a joined model", over(["depots.fill"], ["state"], filters=["state = 'sent'"]), lambda w: f"SELECT 'sent', {w.real('70')} / 3"),
    ("filtered column over a join", over(["depots.big:sum"], ["state"], filters=["state = 'sent'"]), "SELECT 'sent', 60"),
    ("ratio of local and joined", over([{"formula": "price:sum / depots.capacity:sum", "name": "r"}], ["depots.city"], filters=["depots.capacity:sum > 10", "depots.city is not null"], order=[{"r": "asc"}]),
     lambda w: f"SELECT d.city, {w.real('SUM(s.price)')} / MAX(d.capacity) r FROM shipments s JOIN depots d ON s.depot_id = d.id WHERE d.city IS NOT NULL GROUP BY d.id, d.city HAVING MAX(d.capacity) > 10 ORDER BY r"),
    ("row filter also narrows joined aggregates", over(["depots.capacity:sum"], filters=["price >= 15"]), "SELECT 30"),
    # first, last, windows
    ("last by a time", over(["price:last(booked_at)", "price:first(booked_at)"], ["depot_id"], filters=["depot_id in (1, 3)"]), "SELECT 1, 30, 10 UNION ALL SELECT 3, 5, 0"),
    ("last by the default time", over(["price:last"]), "SELECT 9"),
    ("last over a join", over(["depots.capacity:last(opened)"], ["state"], filters=["state in ('sent', 'open')"]), "SELECT 'sent', 20 UNION ALL SELECT 'open', 30"),
    ("trailing window", over(["price:sum(window='2m')", "price:sum"], time_dimensions=by("month"), filters=["booked_on is not null"]),
     "SELECT '2024-01-01', 10, 10 UNION ALL SELECT '2024-02-01', 60, 50 UNION ALL SELECT '2024-03-01', 70, 20 UNION ALL SELECT '2024-05-01', 16, 16"),
    # transforms
    ("running sum", over([{"formula": "cumsum(price:sum)", "name": "c"}], time_dimensions=by("month"), filters=["booked_on is not null"]), "SELECT '2024-01-01', 10 UNION ALL SELECT '2024-02-01', 60 UNION ALL SELECT '2024-03-01', 80 UNION ALL SELECT '2024-05-01', 96"),
    ("running sum by a dimension", over([{"formula": "cumsum(*:count)", "name": "c"}], ["depot_id"], time_dimensions=by("month"), filters=["depot_id = 1 or depot_id = 3"]), "SELECT 1, '2024-01-01', 1 UNION ALL SELECT 1, '2024-02-01', 3 UNION ALL SELECT 3, '2024-03-01', 2"),
    ("lag and lead", over([{"formula": "lag(price:sum, 1)", "name": "a"}, {"formula": "lead(price:sum, 2)", "name": "b"}], time_dimensions=by("month"), filters=["booked_on is not null"]),
     "SELECT '2024-01-01', NULL, 20 UNION ALL SELECT '2024-02-01', 10, 16 UNION ALL SELECT '2024-03-01', 50, NULL UNION ALL SELECT '2024-05-01', 20, NULL"),
    ("time shift misses gaps", over([{"formula": "time_shift(price:sum, -1)", "name": "a"}, {"formula": "change(price:sum)", "name": "b"}, {"formula": "change_pct(price:sum)", "name": "c"}], time_dimensions=by("month"), filters=["booked_on is not null"]),
     "SELECT '2024-01-01', NULL, NULL, NULL UNION ALL SELECT '2024-02-01', 10, 40, 4 UNION ALL SELECT '2024-03-01', 50, -30, -0.6 UNION ALL SELECT '2024-05-01', NULL, NULL, NULL"),
    ("time shift looks before the range", over([{"formula": "time_shift(price:sum, -1)", "name": "a"}], time_dimensions=by("month", date_range=["2024-02-01", "2024-03-31"])), "SELECT '2024-02-01', 10 UNION ALL SELECT '2024-03-01', 50"),
    ("first and last bucket", over([{"formula": "first(price:sum)", "name": "a"}, {"formula": "last(price:sum)", "name": "b"}], time_dimensions=by("month"), filters=["booked_on is not null"]),
     "SELECT '2024-01-01', 10, 16 UNION ALL SELECT '2024-02-01', 10, 16 UNION ALL SELECT '2024-03-01', 10, 16 UNION ALL SELECT '2024-05-01', 10, 16"),
    # The one booking without a date is neither the earliest nor the latest, and comes after all others.
    ("first and last beside rows without a time", over([{"formula": "first(price:sum)", "name": "a"}, {"formula": "last(price:sum)", "name": "b"}], time_dimensions=by("month")),
     "SELECT '2024-01-01', 10, 16 UNION ALL SELECT '2024-02-01', 10, 16 UNION ALL SELECT '2024-03-01', 10, 16 UNION ALL SELECT '2024-05-01', 10, 16 UNION ALL SELECT NULL, 10, 16"),
    ("windows beside rows without a time", over([{"formula": "cumsum(price:sum)", "name": "a"}, {"formula": "lag(price:sum, 1)", "name": "b"}, {"formula": "lead(price:sum, 1)", "name": "c"}, {"formula": "consecutive_periods(price:sum <= 20)", "name": "d"}], time_dimensions=by("month")),
     "SELECT '2024-01-01', 10, NULL, 50, 1 UNION ALL SELECT '2024-02-01', 60, 10, 20, 0 UNION ALL SELECT '2024-03-01', 80, 50, 16, 1 UNION ALL SELECT '2024-05-01', 96, 20, 1, 2 UNION ALL SELECT NULL, 97, 16, NULL, 3"),
    ("consecutive periods", over([{"formula": "consecutive_periods(price:sum >= 16)", "name": "run"}], time_dimensions=by("month"), filters=["booked_on is not null"]), "SELECT '2024-01-01', 0 UNION ALL SELECT '2024-02-01', 1 UNION ALL SELECT '2024-03-01', 2 UNION ALL SELECT '2024-05-01', 3"),
    ("ranks", over(["price:sum", {"formula": "rank(price:sum)", "name": "r"}, {"formula": "dense_rank(price:sum, partition_by=express)", "name": "d"}, {"formula": "ntile(price:sum, n=2)", "name": "n"}], ["id", "express"], filters=["id in (1, 2, 3, 4)"]),
     "SELECT 1, 'true', 10, 4, 2, 2 UNION ALL SELECT 2, 'false', 20, 2, 1, 1 UNION ALL SELECT 3, 'true', 30, 1, 1, 1 UNION ALL SELECT 4, 'false', 15, 3, 2, 2"),
    ("a transform inside arithmetic, filtered and ordered", over([{"formula": "price:sum / last(price:sum)", "name": "x"}], time_dimensions=by("month"), filters=["booked_on is not null", "rank(price:sum) <= 2"], order=[{"x": "desc"}]),
     "SELECT '2024-02-01', 3.125 UNION ALL SELECT '2024-03-01', 1.25"),
    ("a transform over an aggregate of a join", over([{"formula": "cumsum(depots.capacity:sum)", "name": "c"}], time_dimensions=by("month"), filters=["booked_on is not null"]), "SELECT '2024-01-01', 10 UNION ALL SELECT '2024-02-01', 20 UNION ALL SELECT '2024-03-01', 70 UNION ALL SELECT '2024-05-01', 110"),
    ("nested transforms", over([{"formula": "cumsum(change(price:sum))", "name": "c"}], time_dimensions=by("month"), filters=["booked_on < '2024-05-01'"]), "SELECT '2024-01-01', NULL UNION ALL SELECT '2024-02-01', 40 UNION ALL SELECT '2024-03-01', 10"),
    # stages
    ("stages in any order", {"queries": [{"name": "b", "source_model": "a", "measures": [{"formula": "total:max", "name": "top"}], "dimensions": ["depots__city"]}, {"name": "a", "source_model": "shipments", "dimensions": ["depots.city", "state"], "measures": [{"formula": "price:sum", "name": "total"}]}, {"source_model": "b", "measures": ["top:sum", "*:count"]}]},
     f"SELECT SUM(top), COUNT(*) FROM (SELECT city, MAX(total) top FROM (SELECT city, state, SUM(price) total FROM {M} GROUP BY city, state) a GROUP BY city) b"),
    ("query-backed model by name", '{"name": "monthly"}', lambda w: f"SELECT {w.month('booked_on')}, city, SUM(price) FROM {M} WHERE price >= 0 GROUP BY 1, 2"),
    ("query-backed model as root", over(["best", "total:avg"], ["depots__city"], root="monthly"), lambda w: f"SELECT city, MAX(t), AVG({w.real('t')}) FROM (SELECT {w.month('booked_on')} b, city, SUM(price) t FROM {M} GROUP BY 1, 2) x GROUP BY city"),
    ("query-backed model with a variable", over(["total:sum"], root="monthly", variables={"least": 10}), "SELECT SUM(price) FROM shipments WHERE price >= 10"),
    ("inline model", {"source_model": {"name": "mine", "data_source": "main", "sql": "SELECT state, price FROM shipments WHERE price > 5", "columns": [{"name": "state"}, {"name": "price", "type": "INT"}]}, "dimensions": ["state"], "measures": ["price:sum"]}, "SELECT state, SUM(price) FROM shipments WHERE price > 5 GROUP BY state"),
    ("extension", {"source_model": {"source_name": "shipments", "columns": [{"name": "cheap", "sql": "price < 10", "type": "BOOLEAN"}], "measures": [{"name": "n", "formula": "*:count"}]}, "dimensions": ["cheap"], "measures": ["n"]}, "SELECT CASE WHEN price < 10 THEN 'true' ELSE 'false' END, COUNT(*) FROM shipments GROUP BY 1"),
    ("extension joins a stage", {"queries": [{"name": "t", "source_model": "shipments", "dimensions": ["state"], "measures": [{"formula": "price:sum", "name": "total"}]}, {"source_model": {"source_name": "shipments", "joins": [{"target_model": "t", "join_pairs": [["state", "state"]]}]}, "dimensions": ["id"], "measures": ["t.total:max"], "filters": ["state is not null"]}]},
     "SELECT s.id, (SELECT SUM(price) FROM shipments x WHERE x.state = s.state) FROM shipments s WHERE s.state IS NOT NULL"),
    ("function style", over(["sum(price)", "count(*)"], ["state"]), "SELECT state, SUM(price), COUNT(*) FROM shipments GROUP BY state"),
]

ERRORS = [
    ("unknown column", over(["prise:sum"]), "unknown_reference"),
    ("unknown path", over([], ["depot.city"]), "unknown_path"),
    ("unknown model", over(["*:count"], root="shipment"), "unknown_model"),
    ("bare column", over(["price"]), "aggregation_required"),
    ("syntax", over(["price:"]), "formula_syntax"),
    ("unknown function", over(["foo(price:sum)"]), "unknown_function"),
    ("star", over(["*:sum"]), "star_aggregation"),
    ("window", over(["sum(price) over (order by id)"]), "window_in_formula"),
    ("not allowed for a key", over(["id:sum"]), "aggregation_not_allowed"),
    ("not allowed for a text", over(["state:avg"]), "aggregation_not_allowed"),
    ("mixed levels", over(["price:sum"], ["state"], filters=["price:sum > depot_id"]), "filter_mixes_levels"),
    ("order", over(["price:sum"], ["state"], order=[{"column": "depot_id"}]), "order_not_resolvable"),
    ("shadow", over([{"formula": "kg:sum", "name": "price"}], filters=["price > 1"]), "alias_shadows_column"),
    ("raw rows", over(["*:count"], ["state"], distinct_dimension_values=False), "raw_rows_with_measures"),
    ("raw rows without a dimension", over([], distinct_dimension_values=False), "raw_rows_with_measures"),
    ("no time dimension", over(["cumsum(price:sum)"], ["state"]), "time_dimension_required"),
    ("variable", over(["*:count"], filters=["price > {nope}"]), "undefined_variable"),
    ("unknown key", over(["*:count"], measure=["x"]), "unknown_key"),
    ("not query-backed", {"name": "shipments"}, "not_query_backed"),
    ("stage cycle", {"queries": [{"name": "a", "source_model": "b", "measures": ["*:count"]}, {"name": "b", "source_model": "a", "measures": ["*:count"]}]}, "stage_cycle"),
    ("same stage twice", {"queries": [{"name": "a", "source_model": "shipments", "measures": ["*:count"]}, {"name": "a", "source_model": "shipments", "measures": ["*:count"]}]}, "duplicate_name"),
    ("median on mysql", over(["price:median"]), "unsupported_aggregation", ["mysql"]),
    ("the database refuses the data", over(["*:count"], filters=["state = 'sent'", "10 / 0 > 1 or price > 0"], time_dimensions=by("month", date_range=["not a date", "2024-01-01"])), "query_failed", ["postgres"]),
]
