#include <gtest/gtest.h>

#include "migrate/test_shapes.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Schema;
using schema::Type;
using schema::TypeKind;

Column array_of(const std::string& name, Type element) {
  Column made = column(name, TypeKind::Array);
  made.type.element = {std::move(element)};
  return made;
}
Type type_of(TypeKind kind, std::optional<int> length = {}) {
  Type made;
  made.kind = kind;
  made.length = length;
  return made;
}
Plan retyped(const Column& before, const Column& after) {
  PlanOptions options;
  options.allow = {"type-change"};
  return plan_of(schema_of({keyed_table("t", {before})}), schema_of({keyed_table("t", {after})}),
                 options);
}
// The statement that changes the type.
std::string altered(const std::vector<PlanStatement>& statements) {
  const auto found = holding(statements, " TYPE ");
  return found.size() == 1 ? found.front() : "";
}
bool ends(const std::string& text, const std::string& end) {
  return text.ends_with(end);
}

TEST(PostgresConversionTest, AnArrayBecomesAScalarThroughAFunctionThatStandsForThePlanOnly) {
  const Plan plan = retyped(array_of("c", type_of(TypeKind::Text)), column("c", TypeKind::Int32));
  ASSERT_GE(plan.up.size(), 3U);
  EXPECT_TRUE(plan.up.front().sql.starts_with("CREATE FUNCTION \"kedge_array_to_scalar\"("));
  EXPECT_NE(plan.up.front().sql.find("cardinality(value) > 1"), std::string::npos);
  EXPECT_TRUE(ends(altered(plan.up), " USING \"kedge_array_to_scalar\"(\"c\")::INTEGER;"))
      << altered(plan.up);
  EXPECT_EQ(plan.up.back().sql, "DROP FUNCTION \"kedge_array_to_scalar\"(anyarray);");
  EXPECT_TRUE(holding(plan.down, "FUNCTION").empty());
}

TEST(PostgresConversionTest, DownOfAnArrayGoesThroughTheFunctionToo) {
  const Plan plan = retyped(column("c", TypeKind::Text), array_of("c", type_of(TypeKind::Text)));
  EXPECT_TRUE(holding(plan.up, "FUNCTION").empty());
  EXPECT_TRUE(
      ends(altered(plan.up), " USING CASE WHEN \"c\" IS NULL THEN NULL ELSE ARRAY[\"c\"] END;"));
  EXPECT_TRUE(plan.down.front().sql.starts_with("CREATE FUNCTION \"kedge_array_to_scalar\"("));
  EXPECT_TRUE(ends(altered(plan.down), " USING \"kedge_array_to_scalar\"(\"c\");"));
  EXPECT_TRUE(plan.down.back().sql.starts_with("DROP FUNCTION \"kedge_array_to_scalar\"("));
}

TEST(PostgresConversionTest, JsonBecomesAnArrayThroughAFunctionAndBackWithout) {
  const Plan plan = retyped(column("c", TypeKind::Json), array_of("c", type_of(TypeKind::Int32)));
  EXPECT_TRUE(plan.up.front().sql.starts_with("CREATE FUNCTION \"kedge_json_to_text_array\"("));
  EXPECT_NE(altered(plan.up).find(" USING \"kedge_json_to_text_array\"(\"c\"::json)::INTEGER[]"),
            std::string::npos)
      << altered(plan.up);
  EXPECT_EQ(plan.up.back().sql, "DROP FUNCTION \"kedge_json_to_text_array\"(json);");
  EXPECT_NE(altered(plan.down).find(" USING to_jsonb(\"c\")"), std::string::npos);
  EXPECT_TRUE(holding(plan.down, "FUNCTION").empty());
}

TEST(PostgresConversionTest, NothingIsCastToALimitedTextThatWouldCutIt) {
  const Type shorter = type_of(TypeKind::Text, 3);
  Column limited = column("c", TypeKind::Text);
  limited.type = shorter;
  const Column texts = array_of("c", type_of(TypeKind::Text));
  for (const Plan& plan :
       {retyped(texts, limited), retyped(column("c", TypeKind::Text), array_of("c", shorter)),
        retyped(column("c", TypeKind::Json), array_of("c", shorter)),
        retyped(column("c", TypeKind::Json), limited)}) {
    EXPECT_NE(altered(plan.up).find("VARCHAR(3)"), std::string::npos) << altered(plan.up);
    EXPECT_EQ(altered(plan.up).find("::VARCHAR"), std::string::npos) << altered(plan.up);
  }
}

TEST(PostgresConversionTest, ColumnsOfOneSchemaShareTheFunction) {
  const Type text = type_of(TypeKind::Text);
  PlanOptions options;
  options.allow = {"type-change"};
  auto before = keyed_table("t", {array_of("a", text), array_of("b", text)});
  auto after = keyed_table("t", {column("a", TypeKind::Text), column("b", TypeKind::Text)});
  before.name.schema = after.name.schema = Identifier("s");
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), options);
  EXPECT_EQ(holding(plan.up, "CREATE FUNCTION \"s\".\"kedge_array_to_scalar\"").size(), 1U);
  EXPECT_EQ(holding(plan.up, "DROP FUNCTION \"s\".\"kedge_array_to_scalar\"").size(), 1U);
  EXPECT_EQ(holding(plan.up, " TYPE ").size(), 2U);
}

TEST(PostgresConversionTest, AFunctionComesAfterALabelThatCommitsAlone) {
  Schema before = schema_of({keyed_table("t", {array_of("c", type_of(TypeKind::Text))})});
  Schema after = schema_of({keyed_table("t", {column("c", TypeKind::Text)})});
  schema::EnumType mood;
  mood.name = named("mood");
  mood.labels = {"a"};
  before.enums = {mood};
  mood.labels = {"a", "b"};
  after.enums = {mood};
  PlanOptions options;
  options.allow = {"type-change"};
  const Plan plan = plan_of(before, after, options);
  ASSERT_GE(plan.up.size(), 4U);
  EXPECT_NE(plan.up[0].sql.find("ADD VALUE"), std::string::npos) << plan.up[0].sql;
  EXPECT_TRUE(plan.up[1].sql.starts_with("CREATE FUNCTION")) << plan.up[1].sql;
}

}  // namespace
}  // namespace kedge::migrate
