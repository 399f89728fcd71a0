#include "contracts/type_name.h"

#include <gtest/gtest.h>

namespace kedge::contracts {
namespace {

std::string canonical(const std::string& text) {
  const ParsedType parsed = parse_type_name(text);
  return parsed.type ? type_name(*parsed.type) : "? " + parsed.problem;
}

TEST(TypeNameTest, SpellsEveryAliasCanonically) {
  EXPECT_EQ(canonical("Int8"), "BIGINT");
  EXPECT_EQ(canonical("int1"), "TINYINT");
  EXPECT_EQ(canonical("double  precision"), "DOUBLE");
  EXPECT_EQ(canonical("timestamp with time zone"), "TIMESTAMPTZ");
  EXPECT_EQ(canonical("numeric(12, 3)"), "DECIMAL(12,3)");
  EXPECT_EQ(canonical("text(11)"), "VARCHAR(11)");
  EXPECT_EQ(canonical("timestamp_ms"), "TIMESTAMP_MS");
}

TEST(TypeNameTest, ReadsNestedTypesToAnyKeptDepth) {
  EXPECT_EQ(canonical("struct(a int, \"B c\" varchar[])[]"),
            "STRUCT(a INTEGER, \"B c\" VARCHAR[])[]");
  EXPECT_EQ(canonical("map(varchar, decimal(9,2))"), "MAP(VARCHAR, DECIMAL(9,2))");
  EXPECT_EQ(canonical("enum('a', 'it''s')"), "ENUM('a', 'it''s')");
}

TEST(TypeNameTest, KnowsThatBareDecimalIsWide) {
  EXPECT_EQ(canonical("decimal"), "DECIMAL(38,9)");
}

TEST(TypeNameTest, RefusesWhatIsNoTypeWithASuggestion) {
  EXPECT_EQ(parse_type_name("bigintt").suggestion, "bigint");
  EXPECT_FALSE(parse_type_name("decimal(39,1)").type);
  EXPECT_FALSE(parse_type_name("decimal(5,6)").type);
  EXPECT_FALSE(parse_type_name("varchar(0)").type);
  EXPECT_FALSE(parse_type_name("varchar(5").type);
  EXPECT_FALSE(parse_type_name("").type);
  EXPECT_FALSE(parse_type_name("integer(4)").type);
  EXPECT_FALSE(parse_type_name(std::string(5000, '[')).type);
}

TEST(TypeNameTest, RefusesBottomlessNesting) {
  std::string text = "integer";
  for (int i = 0; i < 100; ++i) {
    text = "struct(a " + text + ")";
  }
  EXPECT_FALSE(parse_type_name(text).type);
}

TypeVerdict compare(const std::string& declared, const std::string& actual) {
  return compare_types(*parse_type_name(declared).type, *parse_type_name(actual).type);
}

TEST(TypeNameTest, ComparesByKindAndFacets) {
  EXPECT_EQ(compare("varchar", "varchar(500)"), TypeVerdict::Equal);
  EXPECT_EQ(compare("varchar(20)", "varchar"), TypeVerdict::SameUnderlying);
  EXPECT_EQ(compare("varchar(20)", "varchar(500)"), TypeVerdict::SameUnderlying);
  EXPECT_EQ(compare("decimal(12,3)", "decimal(12,2)"), TypeVerdict::Different);
  EXPECT_EQ(compare("timestamp", "timestamptz"), TypeVerdict::Different);
  EXPECT_EQ(compare("varchar", "json"), TypeVerdict::Different);
  EXPECT_EQ(compare("integer", "bigint"), TypeVerdict::Different);
  EXPECT_EQ(
      compare_types(duckdb_type("INTEGER"), duckdb_type("BIGINT"), ActualSide::IntegerAffinity),
      TypeVerdict::Equal);
}

Widening widening(const std::string& target, const std::string& incoming) {
  return judge_widening(duckdb_type(target), duckdb_type(incoming)).widening;
}

TEST(TypeNameTest, WidensOnlyWithoutLoss) {
  EXPECT_EQ(widening("INTEGER", "BIGINT"), Widening::Safe);
  EXPECT_EQ(widening("UINTEGER", "BIGINT"), Widening::Safe);
  EXPECT_EQ(widening("INTEGER", "UINTEGER"), Widening::Refused);
  EXPECT_EQ(widening("BIGINT", "DECIMAL(19,0)"), Widening::Safe);
  EXPECT_EQ(widening("BIGINT", "DECIMAL(20,2)"), Widening::Refused);
  EXPECT_EQ(widening("DECIMAL(9,2)", "DECIMAL(12,3)"), Widening::Safe);
  EXPECT_EQ(widening("DECIMAL(9,2)", "DECIMAL(9,3)"), Widening::Refused);
  EXPECT_EQ(widening("FLOAT", "DOUBLE"), Widening::Safe);
  EXPECT_EQ(widening("VARCHAR(10)", "VARCHAR(40)"), Widening::Safe);
  EXPECT_EQ(widening("BIGINT", "INTEGER"), Widening::Narrower);
  EXPECT_EQ(widening("INTEGER", "DOUBLE"), Widening::Refused);
  EXPECT_EQ(widening("BOOLEAN", "INTEGER"), Widening::Refused);
  EXPECT_EQ(widening("DATE", "DATE"), Widening::None);
}

}  // namespace
}  // namespace kedge::contracts
