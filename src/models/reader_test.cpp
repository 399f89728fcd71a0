// Every rule of a model file (models.md 2, 3, 4): the mistake, its code and its line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/store.h"
#include "models/test_support.h"

namespace kedge::models {
namespace {

// "code:line" of each error, in file order; warnings with a '?' in front.
std::string problems_of(const std::string& text, SqlDialect dialect = SqlDialect::Postgres) {
  const LoadedFile loaded = load_model_text("models/main/m.yml", text, "main", dialect);
  std::string shown;
  const auto add = [&](const std::vector<Problem>& problems, const std::string& mark) {
    for (const Problem& problem : problems) {
      shown += (shown.empty() ? "" : " ") + mark + std::string(problem.code.name()) + ":" +
               std::to_string(problem.where ? problem.where->line : 0);
    }
  };
  add(loaded.errors, "");
  add(loaded.warnings, "?");
  return shown;
}

std::string with_columns(const std::string& columns) {
  return "name: m\nsql_table: t\ncolumns:\n" + columns;
}

struct Case {
  std::string text;
  std::string problems;
};

class ModelFile : public testing::TestWithParam<Case> {};

TEST_P(ModelFile, IsReportedWithCodeAndLine) {
  EXPECT_EQ(problems_of(GetParam().text), GetParam().problems) << GetParam().text;
}

const std::vector<Case> kDocuments{
    {"name: m\nsql_table: t\n", ""},
    {"name: [\n", "yaml_syntax:2"},
    {"name: m\nname: n\nsql_table: t\n", "yaml_syntax:2"},
    {"- a\n", "bad_value:1"},
    {"name: m\nsql_table: t\ncolums: []\n", "unknown_key:3"},
    {"version: 2\nname: m\nsql_table: t\ncolums: []\n", "?newer_version:1"},
    {"name: m__x\nsql_table: t\n", "invalid_name:1"},
    {"name: 'm.x'\nsql_table: t\n", "invalid_name:1"},
    {"sql_table: t\n", "invalid_name:1"},
    {"name: n\nsql_table: t\n", "model_name_mismatch:1"},
    {"name: m\ndata_source: other\nsql_table: t\n", "data_source_mismatch:2"},
    {"name: m\ndata_source: 'a:b'\nsql_table: t\n", "invalid_name:2"},
    {"name: m\n", "source_mode:1"},
    {"name: m\nsql_table: t\nsql: SELECT 1\n", "source_mode:3"},
    {"name: m\nsource_queries: []\n", "empty_source_queries:2"},
    {"name: m\nsql_table: 'a b c'\n", "invalid_name:2"},
    {"name: m\nsql: 'SELECT 1; DROP TABLE x'\n", "source_mode:2"},
    {"name: m\nsql: '/* all */ DELETE FROM x'\n", "source_mode:2"},
    {"name: m\nsql: 'SELECT 1 AS a; -- done'\n", ""},
    {"name: m\nsql_table: t\ndefault_time_dimension: d\n", "unknown_reference:3"},
    {"name: m\nsql_table: t\nhidden: 3\n", "bad_value:3"},
    {"name: m\nsql_table: t\nmeta: x\n", "bad_value:3"},
    {"name: m\nsource_queries:\n  - {source_model: a, measures: ['*:count']}\ncolumns:\n  - {name: "
     "x}\n",
     "?query_backed_columns_ignored:5"},
};
INSTANTIATE_TEST_SUITE_P(Documents, ModelFile, testing::ValuesIn(kDocuments));

const std::vector<Case> kColumns{
    {with_columns("  - {name: 'a.b'}\n"), "invalid_name:4"},
    {with_columns("  - {sql: a}\n"), "invalid_name:4"},
    {with_columns("  - {name: a__b}\n"), ""},
    {with_columns("  - {name: a, type: FLOAT}\n"), "unknown_type:4"},
    {with_columns("  - {name: a, type: number}\n"), ""},
    {with_columns("  - {name: a}\n  - {name: a}\n"), "duplicate_name:5"},
    {with_columns("  - {name: a}\nmeasures:\n  - {name: a, formula: '*:count'}\n"),
     "duplicate_name:6"},
    {with_columns("  - {name: a, allowed_aggregations: [sum]}\n"), "aggregation_not_allowed:4"},
    {with_columns("  - {name: a, type: INT, allowed_aggregations: [SUM, countd, var]}\n"), ""},
    {with_columns("  - {name: a, type: INT, primary_key: true, allowed_aggregations: [sum]}\n"),
     "aggregation_not_allowed:4"},
    {with_columns("  - {name: a, format: {type: percent, symbol: x}}\n"), "bad_format:4"},
    {with_columns("  - {name: a, format: {type: money}}\n"), "bad_format:4"},
    {with_columns("  - {name: a, sql: 'b:sum'}\n"), "dsl_in_sql:4"},
    {with_columns("  - {name: a, sql: \"replace(b, ':sum', 'x')\"}\n"), ""},
    {with_columns("  - {name: a, sql: 'cumsum(b)'}\n"), "dsl_in_sql:4"},
    {with_columns("  - {name: a, sql: 'LAG(b) OVER (ORDER BY c)'}\n"), ""},
    {with_columns("  - {name: a, filter: 'RANK() OVER (ORDER BY c) = 1'}\n"), "window_in_filter:4"},
    {with_columns("  - {name: a, sql: 'b +'}\n"), "?sql_unparsed:4"},
    {with_columns("  - {name: a, sql: 'x.b + 1'}\n"), "?unknown_qualifier:4"},
    {with_columns("  - {name: a, sql: 'm.b + 1'}\n"), ""},
    {with_columns("  - {name: a, sql: 'b + 1'}\n  - {name: b, sql: 'a + 1'}\n"), ""},
};
INSTANTIATE_TEST_SUITE_P(Columns, ModelFile, testing::ValuesIn(kColumns));

std::string with(const std::string& text) {
  return "name: m\nsql_table: t\n" + text;
}

const std::vector<Case> kItems{
    {with("measures:\n  - {formula: '*:count'}\n"), "measure_without_name:4"},
    {with("measures:\n  - {name: a}\n"), "formula_syntax:4"},
    {with("measures:\n  - {name: cumsum, formula: '*:count'}\n"), "reserved_name:4"},
    {with("measures:\n  - {name: a, formula: 'x:sum +'}\n"), "formula_syntax:4"},
    {with("measures:\n  - {name: a, formula: '*:sum'}\n"), "star_aggregation:4"},
    {with("measures:\n  - {name: a, formula: 'nope(x:sum)'}\n"), "unknown_function:4"},
    {with("measures:\n  - {name: a, formula: 'sum(x)'}\n"), "?function_style:4"},
    {with("aggregations:\n  - {name: rank, formula: 'MAX({value})'}\n"), "reserved_name:4"},
    {with("aggregations:\n  - {name: first, formula: 'MAX({value})'}\n"), ""},
    {with("aggregations:\n  - {name: spread}\n"), "formula_required:4"},
    {with("aggregations:\n  - {name: sum}\n"), ""},
    {with("aggregations:\n  - {name: x, formula: 'MAX({value})'}\n  - {name: x, formula: "
          "'MIN({value})'}\n"),
     "duplicate_name:5"},
    {with("joins:\n  - {target_model: t, join_pairs: []}\n"), "bad_join_pairs:4"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a]]}\n"), "bad_join_pairs:4"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, '']]}\n"), "bad_join_pairs:4"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, b]], name: x__y}\n"), "invalid_name:4"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, b]], join_type: outer}\n"),
     "bad_value:4"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, b]]}\n  - {target_model: t, join_pairs: "
          "[[c, b]]}\n"),
     "duplicate_name:5"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, b]]}\n  - {target_model: t, name: u, "
          "join_pairs: [[c, b]]}\n"),
     ""},
    {with("filters: ['a:sum > 1']\n"), "dsl_in_sql:3"},
    {with("filters: ['RANK() OVER (ORDER BY a) = 1']\n"), "window_in_filter:3"},
    {with("joins:\n  - {target_model: t, join_pairs: [[a, b]]}\nfilters: ['t.u.x = 1']\n"),
     "?multi_dot_rewritten:5"},
};
INSTANTIATE_TEST_SUITE_P(Items, ModelFile, testing::ValuesIn(kItems));

TEST(ModelFileOfAnyDialect, FormulaLanguageIsNoSql) {
  for (const SqlDialect dialect :
       {SqlDialect::Postgres, SqlDialect::Sqlite, SqlDialect::Duckdb, SqlDialect::Mysql}) {
    EXPECT_EQ(problems_of(with("filters: ['a:sum > 1']\n"), dialect), "dsl_in_sql:3");
    EXPECT_EQ(problems_of(with_columns("  - {name: a, sql: 'b:sum'}\n"), dialect), "dsl_in_sql:4");
  }
}

std::string stages(const std::string& text) {
  return "name: m\nsource_queries:\n" + text;
}

const std::vector<Case> kStages{
    {stages("  - {source_model: a, dimensions: [x]}\n  - {source_model: a}\n"), "invalid_name:3"},
    {stages("  - {name: s, source_model: later}\n  - {name: later, source_model: a}\n"),
     "stage_order:3"},
    {stages("  - {name: s, source_model: a}\n  - {name: s, source_model: a}\n"),
     "duplicate_name:4"},
    {stages("  - {source_model: a, tables: []}\n"), "unknown_key:3"},
    {stages("  - {dimensions: [x]}\n"), "bad_value:3"},
    {stages("  - {source_model: a, time_dimensions: [{dimension: x, granularity: fortnight}]}\n"),
     "bad_value:3"},
    {stages("  - {source_model: a, order: [{column: x, direction: up}]}\n"), "bad_value:3"},
    {stages("  - {source_model: a, order: [{x: DESC}], limit: -1}\n"), "bad_value:3"},
    {stages("  - {source_model: a, measures: ['x:']}\n"), "formula_syntax:3"},
    {stages(
         "  - {source_model: {source_name: a, columns: [{name: y, sql: x}]}, dimensions: [y]}\n"),
     ""},
};
INSTANTIATE_TEST_SUITE_P(Stages, ModelFile, testing::ValuesIn(kStages));

TEST(ModelFileTest, TellsBaseColumnsFromDerivedOnes) {
  const std::string text = with_columns(
      "  - {name: a}\n  - {name: b, sql: '\"Order Date\"'}\n  - {name: c, sql: amount}\n"
      "  - {name: d, sql: 'UPPER(x)'}\n  - {name: e, sql: 'NULL'}\n  - {name: f, sql: '1'}\n"
      "  - {name: g, sql: CURRENT_DATE}\n");

  const LoadedFile loaded =
      load_model_text("models/main/m.yml", text, "main", SqlDialect::Postgres);

  ASSERT_TRUE(loaded.model);
  std::string bases;
  for (const Column& column : loaded.model->model.columns) {
    bases += column.is_base() ? column.name : "-";
  }
  EXPECT_EQ(bases, "abc----");
  EXPECT_EQ(loaded.model->model.columns[1].physical, (PhysicalName{"Order Date", true}));
}

}  // namespace
}  // namespace kedge::models
