// dbt and Cube files become kedge models; what has no counterpart is listed with its place.
#include "models/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "models/store.h"

namespace kedge::models {
namespace {

ImportResult import_text(ImportFormat format, const std::string& text, KnownTypes types = {}) {
  const std::vector<document::Document> documents{
      document::read_document("in.yml", text, document::Format::Yaml)};
  ImportInput input;
  input.format = format;
  input.documents = documents;
  input.data_source = "main";
  input.dialect = SqlDialect::Postgres;
  input.types = std::move(types);
  return import_models(input);
}

Model loaded(const ImportResult& result, const std::string& name) {
  for (const ImportedModel& model : result.models) {
    if (model.name == name) {
      return load_model_text("models/main/" + name + ".yml", model.text, "main",
                             SqlDialect::Postgres)
          .model->model;
    }
  }
  ADD_FAILURE() << "no model " << name;
  return {};
}

std::string skipped_lines(const ImportResult& result) {
  std::string lines;
  for (const Finding& finding : result.skipped) {
    lines += std::to_string(finding.problem.where->line) + " ";
  }
  return lines;
}

const std::string kDbt = R"yaml(semantic_models:
  - name: orders
    model: ref('stg_orders')
    defaults: {agg_time_dimension: ordered_at}
    entities:
      - {name: order_id, type: primary}
      - {name: customer, type: foreign, expr: customer_id}
    dimensions:
      - {name: ordered_at, type: time, type_params: {time_granularity: day}}
      - {name: status, type: categorical, expr: "UPPER(state)"}
    measures:
      - {name: total, agg: sum, expr: amount}
      - {name: order_count, agg: sum, expr: 1}
      - {name: p90, agg: percentile, expr: amount, agg_params: {percentile: 0.9}}
      - {name: odd, agg: sum, expr: amount, non_additive_dimension: {name: x}}
  - name: customers
    model: source('crm', 'customers')
    entities:
      - {name: customer, type: primary, expr: id}
metrics:
  - {name: aov, type: ratio, type_params: {numerator: total, denominator: order_count}}
  - {name: running, type: cumulative, type_params: {measure: total}}
  - {name: twice, type: derived, type_params: {expr: "a * 2", metrics: [{name: total, alias: a}]}}
  - {name: fancy, type: conversion, type_params: {}}
saved_queries: []
)yaml";

TEST(ImportTest, ReadsTheDbtSemanticLayer) {
  const ImportResult result = import_text(ImportFormat::Dbt, kDbt);
  const Model orders = loaded(result, "orders");
  ASSERT_EQ(orders.name, "orders");
  EXPECT_EQ(orders.sql_table, "stg_orders");
  EXPECT_EQ(orders.default_time_dimension, "ordered_at");
  EXPECT_TRUE(find_column(orders, "order_id")->primary_key);
  EXPECT_EQ(find_column(orders, "status")->sql, "UPPER(state)");
  ASSERT_EQ(orders.joins.size(), 1U);
  EXPECT_EQ(orders.joins[0].target_model, "customers");
  EXPECT_EQ(find_measure(orders, "total")->formula, "amount:sum");
  EXPECT_EQ(find_measure(orders, "order_count")->formula, "*:count");
  EXPECT_EQ(find_measure(orders, "p90")->formula, "amount:percentile(p=0.9)");
  EXPECT_EQ(find_measure(orders, "aov")->formula, "total / order_count");
  EXPECT_EQ(find_measure(orders, "running")->formula, "cumsum(total)");
  EXPECT_EQ(find_measure(orders, "twice")->formula, "total * 2");
  EXPECT_EQ(loaded(result, "customers").sql_table, "crm.customers");
  EXPECT_EQ(skipped_lines(result), "9 15 24 25 ");
}

TEST(ImportTest, TakesTypesFromTheDatabase) {
  const ImportResult result =
      import_text(ImportFormat::Dbt, kDbt, {{"stg_orders", {{"order_id", "TEXT"}}}});
  EXPECT_EQ(find_column(loaded(result, "orders"), "order_id")->type, ColumnType::Text);
}

const std::string kCube = R"yaml(cubes:
  - name: orders
    sql_table: public.orders
    joins:
      - {name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}"}
      - {name: lines, relationship: one_to_many, sql: "{CUBE}.id = {lines}.order_id"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: city, sql: "{customers}.city", type: string}
      - {name: place, type: geo, latitude: {sql: a}, longitude: {sql: b}}
    measures:
      - {name: count, type: count}
      - {name: revenue, type: sum, sql: "{CUBE}.amount"}
      - {name: paid, type: sum, sql: amount, filters: [{sql: "{CUBE}.state = 'paid'"}]}
      - {name: share, type: number, sql: "{paid} / {revenue}"}
      - {name: last_week, type: sum, sql: amount, rolling_window: {trailing: 7 day}}
    segments: []
  - name: customers
    sql: SELECT * FROM customers
    public: false
)yaml";

TEST(ImportTest, ReadsCube) {
  const ImportResult result = import_text(ImportFormat::Cube, kCube);
  const Model orders = loaded(result, "orders");
  ASSERT_EQ(orders.name, "orders");
  EXPECT_EQ(orders.sql_table, "public.orders");
  ASSERT_EQ(orders.joins.size(), 1U);
  EXPECT_EQ(orders.joins[0].join_pairs[0],
            (std::pair<std::string, std::string>("customer_id", "id")));
  EXPECT_EQ(find_column(orders, "city")->sql, "customers.city");
  EXPECT_EQ(find_measure(orders, "count")->formula, "*:count");
  EXPECT_EQ(find_measure(orders, "revenue")->formula, "amount:sum");
  EXPECT_EQ(find_measure(orders, "paid")->formula, "paid_value:sum");
  EXPECT_EQ(find_column(orders, "paid_value")->filter, "state = 'paid'");
  EXPECT_EQ(find_measure(orders, "share")->formula, "paid / revenue");
  EXPECT_TRUE(loaded(result, "customers").hidden);
  EXPECT_EQ(skipped_lines(result), "6 10 16 ");
}

// --- nothing is lost silently

// Every key of the source whose value is neither in the imported text nor listed with its place.
// `said`: values that are carried over under another word.
class Unaccounted {
 public:
  Unaccounted(const std::string& text, const ImportResult& result, std::set<std::string> said)
      : document_(document::read_document("in.yml", text, document::Format::Yaml)),
        said_(std::move(said)) {
    for (const ImportedModel& model : result.models) {
      carried_ += model.text;
    }
    for (const Finding& finding : result.skipped) {
      listed_.insert({finding.problem.where->line, finding.problem.where->column});
    }
  }

  std::string lines() {
    visit(document_.root, "", false);
    return lines_;
  }

 private:
  bool is_listed(const document::Node& node) const {
    return listed_.contains({node.range.line, node.range.column});
  }

  void visit(const document::Node& node, const std::string& path, bool covered) {
    covered = covered || is_listed(node);
    for (const document::Entry& entry : node.entries) {
      visit(entry.value, path + "." + entry.key.text, covered || is_listed(entry.key));
    }
    for (const document::Node& item : node.items) {
      visit(item, path, covered);
    }
    if (node.is_scalar() && !covered && !said_.contains(node.text) &&
        carried_.find(node.text) == std::string::npos) {
      lines_ += path + ": " + node.text + "\n";
    }
  }

  document::Document document_;
  std::set<std::string> said_;
  std::string carried_;
  std::set<std::pair<std::size_t, std::size_t>> listed_;
  std::string lines_;
};

const std::string kWholeDbt = R"yaml(version: 2
semantic_models:
  - name: orders
    label: Orders
    description: One row an order
    model: ref('jaffle', 'fct_orders')
    primary_entity: order
    defaults: {agg_time_dimension: ordered_at, other: x}
    config: {enabled: true, group: sales, meta: {owner: ops}}
    entities:
      - {name: order, type: primary, expr: order_id, role: main}
      - {name: customer, type: foreign, expr: customer_id, description: who bought}
      - {name: nowhere, type: foreign}
    dimensions:
      - name: ordered_at
        type: time
        is_partition: true
        type_params: {time_granularity: day, validity_params: {is_start: true}}
      - {name: status, type: categorical, label: Status, expr: "lower(state)", meta: {pii: false}}
    measures:
      - {name: revenue, agg: sum, expr: amount, label: Revenue, create_metric: true, agg_time_dimension: ordered_at}
      - {name: order_count, agg: sum, expr: 1, description: how many}
      - {name: buyers, agg: count_distinct, expr: customer_id}
      - {name: big, agg: sum_boolean, expr: "amount > 100"}
      - {name: p95, agg: percentile, expr: amount, agg_params: {percentile: 0.95, use_discrete_percentile: true}}
      - {name: balance, agg: last_value, expr: amount}
      - {name: stock, agg: sum, expr: qty, non_additive_dimension: {name: ordered_at, window_choice: max}}
  - name: customers
    model: source('crm', 'customers')
    entities: [{name: customer, type: primary, expr: id}]
    dimensions: [{name: country, type: categorical}]
metrics:
  - {name: late, type: derived, label: Later, type_params: {expr: "aov * 2", metrics: [aov]}}
  - {name: aov, type: ratio, type_params: {numerator: revenue, denominator: order_count}}
  - name: paid_revenue
    type: simple
    type_params: {measure: revenue}
    filter: "{{ Dimension('order__status') }} = 'paid'"
    config: {group: sales}
  - name: foreign_orders
    type: simple
    type_params: {measure: {name: order_count, fill_nulls_with: 0, join_to_timespine: true, filter: "{{ Dimension('customer__country') }} <> 'NL'"}}
  - {name: by_day, type: simple, type_params: {measure: revenue}, filter: "{{ TimeDimension('order__ordered_at', 'day') }} > '2024-01-01'"}
  - name: share
    type: ratio
    type_params: {numerator: {name: revenue, filter: ["{{ Dimension('order__status') }} = 'paid'", "{{ Entity('customer') }} > 0"]}, denominator: revenue}
  - {name: running, type: cumulative, type_params: {measure: revenue}}
  - {name: weekly, type: cumulative, type_params: {measure: revenue, window: 7 days}}
  - {name: grown, type: derived, type_params: {expr: now - then_, metrics: [{name: revenue, alias: now}, {name: revenue, alias: then_, offset_window: 1 month}]}}
  - name: visits_to_buys
    type: conversion
    type_params: {conversion_type_params: {entity: customer, calculation: conversion_rate, base_measure: order_count, conversion_measure: buyers, window: 7 days}}
saved_queries:
  - {name: weekly_report, query_params: {metrics: [aov]}}
)yaml";

TEST(ImportTest, CarriesOrListsEveryKeyOfDbt) {
  const ImportResult result = import_text(ImportFormat::Dbt, kWholeDbt);
  const std::set<std::string> said{"2",
                                   "ref('jaffle', 'fct_orders')",
                                   "foreign",
                                   "primary",
                                   "time",
                                   "categorical",
                                   "sum_boolean",
                                   "source('crm', 'customers')",
                                   "simple",
                                   "ratio",
                                   "derived",
                                   "cumulative",
                                   "true",
                                   "{{ Dimension('order__status') }} = 'paid'",
                                   "aov * 2",
                                   "{{ Dimension('customer__country') }} <> 'NL'",
                                   "{{ Entity('customer') }} > 0"};
  EXPECT_EQ(Unaccounted(kWholeDbt, result, said).lines(), "");
}

// What adds up over all but one dimension is no sum, a discrete percentile no continuous one.
TEST(ImportTest, LeavesOutMeasuresOfDbtWhoseMeaningWouldChange) {
  const ImportResult result = import_text(ImportFormat::Dbt, R"yaml(semantic_models:
  - name: accounts
    model: ref('accounts')
    entities: [{name: account, type: primary, expr: id}]
    dimensions: [{name: day, type: time, type_params: {time_granularity: day}}]
    measures:
      - {name: bal, agg: sum, expr: amount, non_additive_dimension: {name: day, window_choice: max}}
      - {name: p50, agg: percentile, expr: amount, agg_params: {percentile: 0.5, use_discrete_percentile: true}}
      - {name: p60, agg: percentile, expr: amount, agg_params: {percentile: 0.6, use_discrete_percentile: false}}
      - {name: total, agg: sum, expr: amount}
metrics:
  - {name: mean, type: ratio, type_params: {numerator: bal, denominator: total}}
)yaml");
  const Model accounts = loaded(result, "accounts");
  EXPECT_FALSE(find_measure(accounts, "bal"));
  EXPECT_FALSE(find_measure(accounts, "p50"));
  EXPECT_FALSE(find_measure(accounts, "mean"));
  ASSERT_TRUE(find_measure(accounts, "p60"));
  EXPECT_EQ(find_measure(accounts, "p60")->formula, "amount:percentile(p=0.6)");
  EXPECT_TRUE(find_measure(accounts, "total"));
  EXPECT_EQ(skipped_lines(result), "5 7 8 9 12 ");
}

TEST(ImportTest, SaysMetricsOfDbtAsMeasures) {
  const ImportResult result = import_text(ImportFormat::Dbt, kWholeDbt);
  const Model orders = loaded(result, "orders");
  ASSERT_EQ(orders.name, "orders");
  const auto formula = [&](const char* name) {
    const Measure* measure = find_measure(orders, name);
    return measure ? measure->formula : "none";
  };
  EXPECT_EQ(formula("late"), "aov * 2");
  EXPECT_EQ(formula("paid_revenue"), "revenue_value:sum");
  EXPECT_EQ(find_column(orders, "revenue_value")->filter, "status = 'paid'");
  EXPECT_EQ(find_column(orders, "revenue_value")->sql, "amount");
  EXPECT_EQ(formula("foreign_orders"), "order_count_value:count");
  EXPECT_EQ(find_column(orders, "order_count_value")->filter, "customers.country <> 'NL'");
  EXPECT_EQ(formula("share"), "revenue_value_2:sum / revenue");
  EXPECT_EQ(find_column(orders, "revenue_value_2")->filter, "(status = 'paid') AND (customer > 0)");
  EXPECT_EQ(formula("by_day"), "none");
  EXPECT_EQ(formula("weekly"), "none");
  EXPECT_EQ(formula("grown"), "none");
  EXPECT_EQ(formula("visits_to_buys"), "none");
  EXPECT_EQ(find_column(orders, "status")->meta.as_object()->size(), 1U);
}

const std::string kWholeCube = R"yaml(cubes:
  - name: orders
    sql_table: shop.orders
    title: Orders
    description: One row an order
    meta: {owner: ops}
    data_source: warehouse
    refresh_key: {every: 1 hour}
    joins:
      - {name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}"}
      - {name: lines, relationship: one_to_many, sql: "{CUBE}.id = {lines}.order_id"}
      - {name: odd, relationship: many_to_one, sql: "{CUBE}.day BETWEEN {customers.a} AND {customers.b}"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true, public: false}
      - {name: state, sql: "{CUBE}.state", type: string, title: State, suggest_filter_values: false, meta: {pii: no}}
      - {name: city, sql: "{customers.city}", type: string}
      - {name: net, sql: net, type: number, format: currency}
      - {name: link, sql: url, type: string, format: link}
      - {name: place, type: geo, latitude: {sql: a}, longitude: {sql: b}}
      - {name: size, type: string, case: {when: [{sql: "{CUBE}.n > 1", label: big}], else: {label: small}}}
      - {name: mine, sql: "{SECURITY_CONTEXT.user.filter('u')}", type: boolean}
      - {name: made_at, sql: made_at, type: time, granularities: [{name: fiscal, interval: 1 year}]}
    segments:
      - {name: paid, sql: "{CUBE}.state = 'paid'", description: Paid ones}
      - {name: shown, sql: "{FILTER_PARAMS.orders.day.filter('day')}"}
    measures:
      - {name: count, type: count, drill_members: [id, state]}
      - {name: revenue, type: sum, sql: net, title: Revenue, format: currency, meta: {unit: eur}}
      - {name: paid_revenue, type: sum, sql: net, filters: [{sql: "{CUBE}.state = 'paid'"}, {sql: "{CUBE}.net > 0"}]}
      - {name: hidden, type: max, sql: net, public: false}
      - {name: share, type: number, sql: "1.0 * {paid_revenue} / {revenue}"}
      - {name: week, type: sum, sql: net, rolling_window: {trailing: 7 day}}
      - {name: before, type: number, sql: "{revenue}", multi_stage: true, time_shift: [{interval: 1 year, type: prior}]}
      - {name: newest, type: time, sql: "MAX(made_at)"}
      - {name: total, type: running_total, sql: net}
    pre_aggregations:
      - {name: main, measures: [count], time_dimension: made_at, granularity: day}
    hierarchies: [{name: geo, levels: [city]}]
  - name: customers
    sql: SELECT * FROM customers
    shown: false
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: city, sql: city, type: string}]
  - {name: vip, extends: customers, sql_table: vips}
views:
  - {name: overview, cubes: [{join_path: orders, includes: "*"}]}
)yaml";

TEST(ImportTest, CarriesOrListsEveryKeyOfCube) {
  const ImportResult result = import_text(ImportFormat::Cube, kWholeCube);
  const std::set<std::string> said{"many_to_one",
                                   "{CUBE}.customer_id = {customers.id}",
                                   "number",
                                   "string",
                                   "time",
                                   "{CUBE}.state",
                                   "{customers.city}",
                                   "{CUBE}.state = 'paid'",
                                   "{CUBE}.net > 0",
                                   "1.0 * {paid_revenue} / {revenue}",
                                   "running_total",
                                   "false"};
  EXPECT_EQ(Unaccounted(kWholeCube, result, said).lines(), "");
}

TEST(ImportTest, SaysSegmentsAndFiltersOfCube) {
  const ImportResult result = import_text(ImportFormat::Cube, kWholeCube);
  const Model orders = loaded(result, "orders");
  ASSERT_EQ(orders.name, "orders");
  const Column* paid = find_column(orders, "paid");
  ASSERT_TRUE(paid);
  EXPECT_EQ(paid->sql, "state = 'paid'");
  EXPECT_EQ(paid->type, ColumnType::Boolean);
  EXPECT_FALSE(find_column(orders, "shown"));
  EXPECT_FALSE(find_column(orders, "mine"));
  EXPECT_EQ(find_column(orders, "paid_revenue_value")->filter, "(state = 'paid') AND (net > 0)");
  EXPECT_EQ(find_measure(orders, "share")->formula, "1.0 * paid_revenue / revenue");
  EXPECT_EQ(find_measure(orders, "total")->formula, "cumsum(net:sum)");
  EXPECT_FALSE(find_measure(orders, "week"));
  EXPECT_FALSE(find_measure(orders, "before"));
  EXPECT_TRUE(find_column(orders, "id")->hidden);
}

}  // namespace
}  // namespace kedge::models
