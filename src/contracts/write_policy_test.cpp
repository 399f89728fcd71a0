#include "contracts/write_policy.h"

#include <gtest/gtest.h>

#include "contracts/type_name.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

TargetColumn column(const std::string& name, const std::string& type,
                    const std::string& native = "") {
  TargetColumn result;
  result.name = name;
  result.type = duckdb_type(type);
  result.native = native.empty() ? type : native;
  return result;
}

WriteRequest request(SchemaPolicy policy, std::vector<WriteColumn> columns) {
  WriteRequest result;
  result.target = "c.t";
  result.system = System::Postgres;
  result.policy = policy;
  result.columns = std::move(columns);
  return result;
}

TEST(WritePolicyTest, NamesEveryMismatchWithBothTypes) {
  Target target;
  target.columns = {column("a", "INTEGER", "integer"),
                    column("b", "DECIMAL(18,4)", "numeric(18,4)")};
  const WriteRequest write =
      request(SchemaPolicy::FailOnChange, {{"a", duckdb_type("BIGINT")},
                                           {"b", duckdb_type("DECIMAL(9,2)")},
                                           {"c", duckdb_type("DATE")}});
  const WriteVerdict verdict = judge_write(write, target, {});
  EXPECT_EQ(refusal(write, verdict).message,
            "target 'c.t': column 'a' has type integer in the target, the write has bigint; column "
            "'b' has type numeric(18,4) in the target, the write has numeric(9,2); column 'c' is "
            "missing in the target (the write has date)");
  EXPECT_EQ(verdict.code, codes::PZ0811);
}

TEST(WritePolicyTest, EvolvesAllOrNothing) {
  Target target;
  target.columns = {column("a", "INTEGER"), column("t", "TIMESTAMP", "timestamp")};
  const WriteRequest write = request(
      SchemaPolicy::Evolve,
      {{"a", duckdb_type("BIGINT")}, {"t", duckdb_type("DATE")}, {"n", duckdb_type("VARCHAR")}});
  const WriteVerdict verdict = judge_write(write, target, {});
  EXPECT_TRUE(verdict.alterations.empty());
  EXPECT_EQ(verdict.code, codes::PZ0812);
  EXPECT_EQ(refusal(write, verdict).message,
            "target 'c.t': schema_policy evolve cannot apply: column 't' timestamp -> date "
            "(narrowing). Nothing was changed");
}

TEST(WritePolicyTest, LetsNarrowerValuesIn) {
  Target target;
  target.columns = {column("a", "BIGINT")};
  const WriteVerdict verdict =
      judge_write(request(SchemaPolicy::Evolve, {{"a", duckdb_type("SMALLINT")}}), target, {});
  EXPECT_TRUE(verdict.mismatches.empty());
  EXPECT_TRUE(verdict.alterations.empty());
}

TEST(WritePolicyTest, RefusesToWidenWhatIsLocked) {
  Target target;
  target.columns = {column("a", "INTEGER")};
  target.columns[0].locked_by = "a view";
  const WriteVerdict verdict =
      judge_write(request(SchemaPolicy::Evolve, {{"a", duckdb_type("BIGINT")}}), target, {});
  ASSERT_EQ(verdict.mismatches.size(), 1U);
  EXPECT_NE(verdict.mismatches[0].text.find("a view"), std::string::npos);
}

TEST(WritePolicyTest, JudgesValuesBeforeTheTargetIsTouched) {
  Target target;
  target.columns = {column("a", "VARCHAR(10)", "varchar(10)"), column("b", "VARCHAR")};
  target.columns[1].nullable = false;
  const WriteRequest write = request(
      SchemaPolicy::FailOnChange, {{"a", duckdb_type("VARCHAR")}, {"b", duckdb_type("VARCHAR")}});
  EXPECT_EQ(columns_to_measure(write, target), (std::vector<std::string>{"a", "b"}));
  const WriteVerdict verdict = judge_write(write, target, {{"a", {0, 24, 0}}, {"b", {2, 3, 0}}});
  ASSERT_EQ(verdict.mismatches.size(), 2U);
  EXPECT_EQ(verdict.mismatches[0].kind, "length");
  EXPECT_EQ(verdict.mismatches[1].kind, "null");
}

TEST(WritePolicyTest, AddsOnlyTheMarkerUnderAdditive) {
  Target target;
  target.columns = {column("a", "BIGINT")};
  target.unique_keys = {{"a"}};
  WriteRequest write = request(SchemaPolicy::Additive, {{"a", duckdb_type("BIGINT")}});
  write.strategy = Strategy::Merge;
  write.keys = {"a"};
  write.on_delete = OnDelete::Soft;
  const WriteVerdict verdict = judge_write(write, target, {});
  ASSERT_EQ(verdict.alterations.size(), 1U);
  EXPECT_EQ(verdict.alterations[0].kind, AlterationKind::Marker);
  write.columns.push_back({"b", duckdb_type("BIGINT")});
  EXPECT_EQ(judge_write(write, target, {}).mismatches.size(), 1U);
}

TEST(WritePolicyTest, NeedsAUniqueKeyOnExactlyTheMergeKeys) {
  Target target;
  target.columns = {column("a", "BIGINT"), column("b", "BIGINT")};
  target.unique_keys = {{"a", "b"}};
  WriteRequest write = request(SchemaPolicy::FailOnChange,
                               {{"a", duckdb_type("BIGINT")}, {"b", duckdb_type("BIGINT")}});
  write.strategy = Strategy::Merge;
  write.keys = {"a"};
  EXPECT_EQ(judge_write(write, target, {}).mismatches.at(0).kind, "key");
  write.keys = {"b", "a"};
  EXPECT_TRUE(judge_write(write, target, {}).mismatches.empty());
}

TEST(TargetTypeTest, MapsWhatEachSystemHas) {
  EXPECT_EQ(target_type(System::Postgres, duckdb_type("UBIGINT"))->native, "numeric(20,0)");
  EXPECT_EQ(target_type(System::Mysql, duckdb_type("VARCHAR"), ColumnUse::Key)->native,
            "varchar(255)");
  EXPECT_EQ(target_type(System::SqlServer, duckdb_type("TIMESTAMPTZ"))->native,
            "datetimeoffset(6)");
  EXPECT_EQ(target_type(System::SqlServer, duckdb_type("UTINYINT"))->native, "tinyint");
  EXPECT_EQ(target_type(System::Sqlite, duckdb_type("STRUCT(a INTEGER)"))->native, "JSON");
  EXPECT_FALSE(target_type(System::Mysql, duckdb_type("INTERVAL")));
  EXPECT_EQ(type_name(target_type(System::Duckdb, duckdb_type("VARCHAR(9)"))->read_as), "VARCHAR");
}

}  // namespace
}  // namespace kedge::contracts
