#include "metadata/describe.h"

#include <gtest/gtest.h>

#include "metadata/load.h"

namespace kedge::metadata {
namespace {

using schema::Dialect;

schema::Column column(const char* name, schema::TypeKind kind) {
  schema::Column column;
  column.name = Identifier(name);
  column.type.kind = kind;
  return column;
}

schema::Check check(const char* name, const char* expression) {
  schema::Check check;
  check.name = Identifier(name);
  check.expression = expression;
  return check;
}

// A table of one text and one whole number, with the given checks.
struct Live {
  schema::Schema schema;
  DescribeOptions options;

  explicit Live(Dialect dialect, std::vector<schema::Check> checks = {}) {
    schema::Table table;
    table.name.name = Identifier("boats");
    table.columns = {column("name", schema::TypeKind::Text),
                     column("weight", schema::TypeKind::Int32)};
    table.checks = std::move(checks);
    schema.tables.push_back(std::move(table));
    options.dialect = dialect;
    options.entities = name_entities(schema);
  }
  schema::Table& table() { return schema.tables[0]; }
  Description describe() { return describe_table(table(), schema, options); }
  Expected expected() {
    const LoadResult loaded = load_texts({{"a.yml", describe().text}}, {});
    EXPECT_TRUE(loaded.diagnostics.empty() || !loaded.diagnostics[0].is_error());
    return build_expected(loaded.model, options.dialect);
  }
};

TEST(DescribeTest, ReadsRulesUnderTheirNames) {
  Live live(
      Dialect::Postgres,
      {check("boats_weight_numeric_chk", "((weight >= '-1'::integer) AND (weight <= 9))"),
       check("boats_name_length_chk", "(length(name) <= 5)"),
       check("boats_name_regex_chk", "(name ~ '^it''s'::text)"), check("odd", "(weight <= 7)")});
  const std::string text = live.describe().text;
  EXPECT_NE(text.find(R"("validator.numeric":{"min":-1,"max":9})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("validator.length":{"max":5})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("validator.regex":{"pattern":"^it's"})"), std::string::npos) << text;
  EXPECT_EQ(text.find('7'), std::string::npos) << "its name is not the rule's: " << text;
  const Expected expected = live.expected();
  ASSERT_EQ(expected.schema.tables.size(), 1U);
  EXPECT_EQ(expected.schema.tables[0].checks.size(), 3U);
}

TEST(DescribeTest, ReadsRulesByTheirMeaningWhereNamesDoNotCount) {
  Live live(Dialect::Sqlite, {check("", "weight >= 0"), check("other", "weight <> 3")});
  const std::string text = live.describe().text;
  EXPECT_NE(text.find(R"("validator.numeric":{"min":0})"), std::string::npos) << text;
  EXPECT_EQ(text.find('3'), std::string::npos) << text;
}

TEST(DescribeTest, SaysNothingOfACheckThatIsLeftAlone) {
  Live live(Dialect::Sqlite, {check("", "weight >= 0")});
  live.options.leave[live.table().name].parts = {"weight >= 0"};
  EXPECT_EQ(live.describe().text.find("validator"), std::string::npos);
}

TEST(DescribeTest, KeepsAColumnThatIsLeftAloneInTheModel) {
  Live live(Dialect::Sqlite);
  live.options.leave[live.table().name].columns = {Identifier("name")};
  const Expected expected = live.expected();
  ASSERT_TRUE(expected.leave.contains(live.table().name));
  EXPECT_EQ(expected.leave.at(live.table().name).columns, (std::set{Identifier("name")}));
  EXPECT_EQ(expected.schema.tables.at(0).columns.size(), 2U);
}

TEST(DescribeTest, TellsWhichPartALineIsAbout) {
  Live live(Dialect::Sqlite);
  schema::Index index;
  index.name = Identifier("by_name");
  index.parts.push_back({Identifier("name"), {}, false, {}, {}, {}, {}});
  live.table().indexes.push_back(index);
  const Description description = live.describe();
  ASSERT_EQ(description.parts.size(), 3U) << description.text;
  EXPECT_EQ(description.parts.begin()->second.column, Identifier("name"));
  EXPECT_EQ(description.parts.rbegin()->second.label, "by_name");
}

TEST(DescribeTest, SaysAClockWithTheDigitsOfItsColumn) {
  Live live(Dialect::Mysql);
  schema::Column& seen = live.table().columns[0];
  seen.type.kind = schema::TypeKind::Timestamp;
  seen.type.precision = 6;
  seen.type.native = "datetime(6)";
  seen.default_value = {schema::Default::Kind::Expression, "current_timestamp(6)"};
  seen.options["on_update"] = "current_timestamp(6)";
  const Expected expected = live.expected();
  const schema::Column& wanted = expected.schema.tables.at(0).columns.at(0);
  EXPECT_EQ(wanted.type.precision, 6);
  EXPECT_EQ(wanted.default_value->value, "CURRENT_TIMESTAMP(6)");
  EXPECT_EQ(wanted.options.at("on_update"), "current_timestamp(6)");
}

TEST(DescribeTest, GivesTheEnginesSpellingOfWhatTheLanguageCannotSay) {
  Live live(Dialect::Duckdb);
  schema::Column& seen = live.table().columns[0];
  seen.type.kind = schema::TypeKind::Timestamp;
  seen.type.precision = 9;
  seen.type.native = "TIMESTAMP_NS";
  const std::string text = live.describe().text;
  EXPECT_NE(text.find(R"(field.timestamp: {"name":"name","dbType":{"duckdb":"TIMESTAMP_NS"}})"),
            std::string::npos)
      << text;
}

TEST(ScalarTest, ANumberIsWrittenSoThatItReadsBack) {
  EXPECT_EQ(to_text(Scalar(0.0000001)), "0.0000001");
  EXPECT_EQ(to_text(Scalar(0.12345678)), "0.12345678");
  EXPECT_EQ(to_text(Scalar(5.0)), "5");
  EXPECT_EQ(to_text(Scalar(-2.5)), "-2.5");
  EXPECT_EQ(to_text(Scalar(1e21)), "1000000000000000000000");
}

}  // namespace
}  // namespace kedge::metadata
