-- [{source_model: shipments, dimensions: [depots.city, order], measures: ["kg:sum", "heavy:sum", mean, "tons:avg", "express:sum", "kg:count_distinct_approx", "kg:stddev_pop"], filters: ["kg > 1", "kg:sum >= 10", "depots.city <> 'it''s'"], order: [{"kg:sum": desc}], limit: 5, offset: 10}]
SELECT depots."City Name" AS "shipments.depots.city", shipments."order" AS "shipments.order", SUM(shipments.gross_weight) AS "shipments.kg_sum", SUM(CASE WHEN shipments.gross_weight > 1000 THEN shipments.gross_weight END) AS "shipments.heavy_sum", CAST(SUM(shipments.gross_weight) AS DOUBLE) / NULLIF(COUNT(*), 0) AS "shipments.mean", AVG((shipments.gross_weight / 1000.0)) AS "shipments.tons_avg", SUM(CASE WHEN shipments.express THEN 1 WHEN NOT shipments.express THEN 0 END) AS "shipments.express_sum", approx_count_distinct(shipments.gross_weight) AS "shipments.kg_count_distinct_approx", stddev_pop(shipments.gross_weight) AS "shipments.kg_stddev_pop"
FROM logistics.shipments AS shipments
LEFT JOIN (SELECT * FROM depots
) AS depots ON shipments.depot_id = depots.id
WHERE (shipments.voided_at IS NULL) AND (shipments.gross_weight > 1) AND (depots."City Name" <> 'it''s')
GROUP BY depots."City Name", shipments."order"
HAVING (SUM(shipments.gross_weight) >= 10)
ORDER BY 3 DESC
LIMIT 5 OFFSET 10

-- [{source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: week}, {dimension: booked_at, granularity: week_sunday}, {dimension: booked_at, granularity: quarter}, {dimension: booked_at, granularity: hour}], measures: ["*:count"], offset: 3, whole_periods_only: true}]
SELECT date_trunc('week', shipments.booked_at) AS "shipments.booked_at", date_trunc('week', shipments.booked_at + INTERVAL 1 DAY) - INTERVAL 1 DAY AS "shipments.booked_at_week_sunday", date_trunc('quarter', shipments.booked_at) AS "shipments.booked_at_quarter", date_trunc('hour', shipments.booked_at) AS "shipments.booked_at_hour", COUNT(*) AS "shipments._count"
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL) AND shipments.booked_at < '2024-03-04' AND shipments.booked_at < '2024-03-03' AND shipments.booked_at < '2024-01-01' AND shipments.booked_at < '2024-03-09 16:00:00'
GROUP BY date_trunc('week', shipments.booked_at), date_trunc('week', shipments.booked_at + INTERVAL 1 DAY) - INTERVAL 1 DAY, date_trunc('quarter', shipments.booked_at), date_trunc('hour', shipments.booked_at) OFFSET 3

-- [{source_model: shipments, dimensions: [order], measures: ["*:count", "depots.capacity:sum", "kg:last"], limit: 3}]
WITH _kq1_base AS (
SELECT shipments."order" AS d1, COUNT(*) AS a1
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL)
GROUP BY shipments."order"
),
_kq2_ranked AS (
SELECT shipments."order" AS d1, shipments.gross_weight AS v, ROW_NUMBER() OVER (PARTITION BY shipments."order" ORDER BY CASE WHEN shipments.booked_at IS NULL THEN 1 ELSE 0 END, shipments.booked_at DESC) AS n
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL)
),
_kq3_last AS (
SELECT r.d1, r.v AS a3
FROM _kq2_ranked AS r
WHERE r.n = 1
),
_kq4_pairs AS (
SELECT DISTINCT shipments."order" AS d1, depots.id AS k1
FROM logistics.shipments AS shipments
LEFT JOIN (SELECT * FROM depots
) AS depots ON shipments.depot_id = depots.id
WHERE (shipments.voided_at IS NULL) AND depots.id IS NOT NULL
),
_kq5_depots AS (
SELECT _p.d1 AS d1, SUM(depots.capacity) AS a2
FROM (SELECT * FROM depots
) AS depots
INNER JOIN _kq4_pairs AS _p ON depots.id = _p.k1
GROUP BY _p.d1
),
_kq6_groups AS (
SELECT b.d1, b.a1 AS a1, x2.a2 AS a2, x1.a3 AS a3
FROM _kq1_base AS b
LEFT JOIN _kq3_last AS x1 ON b.d1 IS NOT DISTINCT FROM x1.d1
LEFT JOIN _kq5_depots AS x2 ON b.d1 IS NOT DISTINCT FROM x2.d1
)
SELECT g.d1 AS "shipments.order", g.a1 AS "shipments._count", g.a2 AS "shipments.depots.capacity_sum", g.a3 AS "shipments.kg_last"
FROM _kq6_groups AS g
LIMIT 3

-- [{source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: month, date_range: ["2024-01-01", "2024-02-29"]}], measures: [{formula: "change(kg:sum)", name: delta}, {formula: "cumsum(kg:sum)", name: total}, {formula: "rank(kg:sum)", name: place}]}]
WITH _kq1_base AS (
SELECT date_trunc('month', shipments.booked_at) AS d1, SUM(shipments.gross_weight) AS a1
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL) AND shipments.booked_at >= '2024-01-01' AND shipments.booked_at < '2024-03-01'
GROUP BY date_trunc('month', shipments.booked_at)
),
_kq2_base AS (
SELECT date_trunc('month', shipments.booked_at) AS d1, SUM(shipments.gross_weight) AS a1
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL) AND shipments.booked_at >= '2023-12-01' AND shipments.booked_at < '2024-02-01'
GROUP BY date_trunc('month', shipments.booked_at)
),
_kq3_layer AS (
SELECT g.*, (g.a1) - (s1.a1) AS t1, SUM(g.a1) OVER (ORDER BY CASE WHEN g.d1 IS NULL THEN 1 ELSE 0 END, g.d1 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS t2, RANK() OVER (ORDER BY CASE WHEN g.a1 IS NULL THEN 1 ELSE 0 END, g.a1 DESC) AS t3
FROM _kq1_base AS g
LEFT JOIN _kq2_base AS s1 ON s1.d1 = g.d1 + INTERVAL (-1) MONTH
)
SELECT g.d1 AS "shipments.booked_at", g.t1 AS "shipments.delta", g.t2 AS "shipments.total", g.t3 AS "shipments.place"
FROM _kq3_layer AS g

-- [{name: monthly, source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: month}], measures: [{formula: "round(kg:sum / 3, 1) || ''", name: shown}]}, {source_model: monthly, measures: ["*:count"]}]
WITH _kq1_monthly AS (
SELECT date_trunc('month', shipments.booked_at) AS booked_at, ROUND(CAST(SUM(shipments.gross_weight) AS DOUBLE) / NULLIF(3, 0), 1) || '' AS shown
FROM logistics.shipments AS shipments
WHERE (shipments.voided_at IS NULL)
GROUP BY date_trunc('month', shipments.booked_at)
)
SELECT COUNT(*) AS "monthly._count"
FROM _kq1_monthly AS monthly

