// dbt and Cube files become kedge models; what has no counterpart is listed with its place.
#include "models/import.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(skipped_lines(result), "6 10 16 17 ");
}

}  // namespace
}  // namespace kedge::models
