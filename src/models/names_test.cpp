// Folding, relation names and stage outputs (models.md 2, 3.2, 5).
#include "models/names.h"

#include <gtest/gtest.h>

#include "models/aggregations.h"
#include "models/ingest.h"
#include "models/name_table.h"
#include "models/stages.h"

namespace kedge::models {
namespace {

bool same(SqlDialect dialect, std::string_view written, bool quoted, std::string_view live) {
  return written_key(dialect, written, quoted) == live_key(dialect, live);
}

TEST(NamesTest, FoldsAsTheDialectDoes) {
  EXPECT_TRUE(same(SqlDialect::Sqlite, "Kg", true, "kG"));
  EXPECT_TRUE(same(SqlDialect::Postgres, "Kg", false, "kg"));
  EXPECT_FALSE(same(SqlDialect::Postgres, "Kg", true, "kg"));
  EXPECT_FALSE(same(SqlDialect::Postgres, "kg", false, "Kg"));
  EXPECT_TRUE(same(SqlDialect::Snowflake, "kg", false, "KG"));
  EXPECT_FALSE(same(SqlDialect::Clickhouse, "kg", false, "KG"));
  EXPECT_TRUE(same(SqlDialect::Bigquery, "KG", false, "kg"));
}

TEST(NamesTest, NameTableKeepsTheFirstOfEqualNamesAndAllInOrder) {
  for (const bool reserved : {false, true}) {
    NameTable table;
    EXPECT_EQ(table.find("a"), kNone);
    if (reserved) {
      table.reserve(2000);
    }
    for (Number number = 0; number < 2000; ++number) {
      table.add("n" + std::to_string(number % 700), number);
    }
    for (Number number = 0; number < 700; ++number) {
      const std::string name = "n" + std::to_string(number);
      std::vector<Number> all{number, number + 700};
      if (number < 600) {
        all.push_back(number + 1400);
      }
      EXPECT_EQ(table.find(name), number);
      EXPECT_EQ(table.find_all(name), all);
    }
    EXPECT_FALSE(table.contains("n700"));
    EXPECT_TRUE(table.find_all("").empty());
  }
}

TEST(NamesTest, ReadsTableNames) {
  const auto plain = parse_relation("sales.\"Order Lines\"", SqlDialect::Postgres);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->schema, (PhysicalName{"sales", false}));
  EXPECT_EQ(plain->name, (PhysicalName{"Order Lines", true}));
  EXPECT_TRUE(parse_relation("`a`.`b c`", SqlDialect::Mysql));
  EXPECT_FALSE(parse_relation("a.", SqlDialect::Postgres));
  EXPECT_FALSE(parse_relation("a b", SqlDialect::Postgres));
  EXPECT_FALSE(parse_relation("read_csv('x')", SqlDialect::Duckdb));
}

TEST(NamesTest, ReadsTextAsEachDatabaseDoes) {
  // "#" begins a comment for mysql only, `x` and [x] are names where the database has them.
  EXPECT_EQ(parse_relation("`a b`.`c`", SqlDialect::Bigquery)->name.text, "c");
  EXPECT_EQ(parse_relation("`a b`", SqlDialect::Clickhouse)->name.text, "a b");
  EXPECT_EQ(parse_relation("[dbo].[Order Lines]", SqlDialect::Sqlserver)->schema->text, "dbo");
  EXPECT_FALSE(parse_relation("[dbo].[x]", SqlDialect::Snowflake));
  EXPECT_EQ(analysed_as(SqlDialect::Sqlserver), sql::Flavour::Sqlserver);
  EXPECT_EQ(analysed_as(SqlDialect::Snowflake), sql::Flavour::Snowflake);
}

TEST(NamesTest, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(written_name("kg", SqlDialect::Postgres), "kg");
  EXPECT_EQ(written_name("Kg", SqlDialect::Postgres), "\"Kg\"");
  EXPECT_EQ(written_name("Kg", SqlDialect::Sqlite), "Kg");
  EXPECT_EQ(written_name("order", SqlDialect::Mysql), "`order`");
  EXPECT_EQ(written_name("say \"hi\"", SqlDialect::Duckdb), "\"say \"\"hi\"\"\"");
}

TEST(NamesTest, KnowsThePseudoColumns) {
  EXPECT_TRUE(is_pseudo_column(SqlDialect::Sqlite, "ROWID"));
  EXPECT_TRUE(is_pseudo_column(SqlDialect::Postgres, "ctid"));
  EXPECT_FALSE(is_pseudo_column(SqlDialect::Postgres, "rowid"));
}

std::string output(const std::string& formula) {
  QueryMeasure measure;
  measure.formula = formula;
  return output_name(measure);
}

TEST(StagesTest, NameTheirOutputs) {
  EXPECT_EQ(output("amount:sum"), "amount_sum");
  EXPECT_EQ(output("*:count"), "_count");
  EXPECT_EQ(output("x:percentile(p=0.5)"), "x_percentile_p_0_5");
  EXPECT_EQ(output("mean_weight"), "mean_weight");
  EXPECT_EQ(output("depots.capacity:sum"), "depots__capacity_sum");
  EXPECT_EQ(output_name(QueryDimension{"depots.regions.name", "", {}}), "depots__regions__name");
}

TEST(AggregationsTest, FoldTheirSpellings) {
  EXPECT_EQ(fold_aggregation("SUM"), "sum");
  EXPECT_EQ(fold_aggregation("countDistinct"), "count_distinct");
  EXPECT_EQ(fold_aggregation("approx_count_distinct"), "count_distinct_approx");
  EXPECT_EQ(fold_aggregation("stddev"), "stddev_samp");
  EXPECT_EQ(fold_aggregation("variance"), "var_samp");
  EXPECT_EQ(fold_aggregation("By_Credit"), "By_Credit");
}

TEST(AggregationsTest, FollowTypeAndKey) {
  Model model;
  Column column;
  column.type = ColumnType::Boolean;
  EXPECT_TRUE(is_aggregation_allowed(model, column, "sum"));
  column.type = ColumnType::Text;
  EXPECT_FALSE(is_aggregation_allowed(model, column, "sum"));
  column.type = ColumnType::Int;
  column.primary_key = true;
  EXPECT_FALSE(is_aggregation_allowed(model, column, "sum"));
  EXPECT_TRUE(is_aggregation_allowed(model, column, "count_distinct"));
}

}  // namespace
}  // namespace kedge::models
