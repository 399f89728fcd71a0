#include <gtest/gtest.h>

#include "kedge/diff.h"

namespace kedge::diff {
namespace {

using schema::Column;
using schema::Schema;
using schema::Table;
using schema::TypeKind;

Column column(const char* name, TypeKind kind = TypeKind::Int32) {
  Column made;
  made.name = Identifier(name);
  made.type.kind = kind;
  return made;
}
Table table(const char* name, std::vector<Column> columns) {
  Table made;
  made.name = {{}, Identifier(name)};
  made.columns = std::move(columns);
  return made;
}
Schema schema_of(std::vector<Table> tables) {
  Schema made;
  made.tables = std::move(tables);
  normalise(made);
  return made;
}
std::vector<std::string> kinds(const Schema& actual, const Schema& expected,
                               const Options& options = {}) {
  std::vector<std::string> list;
  for (const Change& change : compare(actual, expected, options).changes) {
    list.push_back(kind_of(change));
  }
  return list;
}
using Kinds = std::vector<std::string>;

TEST(CompareTest, FindsNothingBetweenEqualShapes) {
  const Schema shape = schema_of({table("a", {column("id")}), table("b", {column("id")})});
  EXPECT_EQ(kinds(shape, shape), Kinds{});
}

TEST(CompareTest, IgnoresTheOrderOfColumns) {
  EXPECT_EQ(kinds(schema_of({table("t", {column("a"), column("b")})}),
                  schema_of({table("t", {column("b"), column("a")})})),
            Kinds{});
}

TEST(CompareTest, AddsAndDropsTablesAndColumns) {
  const Schema before = schema_of({table("gone", {column("x")}), table("t", {column("a")})});
  const Schema after = schema_of({table("made", {column("y")}), table("t", {column("b_long")})});
  EXPECT_EQ(kinds(before, after),
            (Kinds{"add-column", "drop-column", "create-table", "drop-table"}));
}

TEST(CompareTest, AnUnnamedSequenceOfAnIdentityIsAnyOne) {
  const auto counted = [](const char* sequence, schema::Identity::Kind kind) {
    Column made = column("id");
    made.identity = schema::Identity{kind, {}, {}, {}, {}, {}, false, sequence};
    return schema_of({table("t", {made})});
  };
  using Kind = schema::Identity::Kind;
  const Schema live = counted("t_id_seq", Kind::ByDefault);
  EXPECT_EQ(kinds(live, counted("", Kind::ByDefault)), Kinds{});
  EXPECT_EQ(kinds(counted("", Kind::ByDefault), live), Kinds{});
  EXPECT_EQ(kinds(live, counted("other", Kind::ByDefault)).size(), 1U);
  EXPECT_EQ(kinds(live, counted("", Kind::Always)).size(), 1U);
}

TEST(CompareTest, ATypeChangeCarriesTheDefault) {
  Column before = column("n");
  before.default_value = schema::Default{schema::Default::Kind::Expression, "1"};
  Column after = column("n", TypeKind::Int64);
  after.default_value = schema::Default{schema::Default::Kind::Expression, "2"};
  const auto result =
      compare(schema_of({table("t", {before})}), schema_of({table("t", {after})}), {});
  ASSERT_EQ(result.changes.size(), 1U);
  const auto& change = std::get<change::ChangeColumnType>(result.changes[0]);
  EXPECT_EQ(change.widening, change::Widening::Yes);
  EXPECT_EQ(change.after.default_value->value, "2");
}

TEST(CompareTest, DefaultsCompareByMeaning) {
  Column before = column("n", TypeKind::Numeric);
  before.default_value = schema::Default{schema::Default::Kind::Expression, "0.00"};
  Column after = before;
  after.default_value = schema::Default{schema::Default::Kind::Literal, "0"};
  EXPECT_EQ(kinds(schema_of({table("t", {before})}), schema_of({table("t", {after})})), Kinds{});
  after.default_value = schema::Default{schema::Default::Kind::Literal, "1"};
  EXPECT_EQ(kinds(schema_of({table("t", {before})}), schema_of({table("t", {after})})),
            Kinds{"change-column-default"});
}

TEST(CompareTest, LiteralsThatDifferInCaseDiffer) {
  Table before = table("t", {column("s", TypeKind::Text)});
  before.checks = {{Identifier("c"), "s = 'Open'", {}, {}, true, false, true, ""}};
  Table after = before;
  after.checks[0].expression = "s  =  'Open'";
  EXPECT_EQ(kinds(schema_of({before}), schema_of({after})), Kinds{});
  after.checks[0].expression = "s = 'open'";
  EXPECT_EQ(kinds(schema_of({before}), schema_of({after})), (Kinds{"drop-check", "add-check"}));
}

TEST(CompareTest, EnumMembersAreASet) {
  Table before = table("t", {column("s", TypeKind::Text)});
  before.checks = {
      {Identifier("c"), "s IN ('a','b')", Identifier("s"), {"a", "b"}, true, false, true, ""}};
  Table after = before;
  after.checks[0].expression = "s IN ('b','a')";
  after.checks[0].members = {"b", "a"};
  EXPECT_EQ(kinds(schema_of({before}), schema_of({after})), Kinds{});
}

TEST(CompareTest, AnIndexOfOneShapeUnderAnotherNameIsRenamed) {
  Table before = table("t", {column("a")});
  schema::Index index;
  index.name = Identifier("i1");
  index.parts = {{Identifier("a"), "", false, schema::NullsOrder::Default, "", "", std::nullopt}};
  before.indexes = {index};
  Table after = before;
  after.indexes[0].name = Identifier("i2");
  EXPECT_EQ(kinds(schema_of({before}), schema_of({after})), Kinds{"rename-index"});
  Options sqlite;
  sqlite.dialect = schema::Dialect::Sqlite;
  EXPECT_EQ(kinds(schema_of({before}), schema_of({after}), sqlite),
            (Kinds{"drop-index", "add-index"}));
}

TEST(CompareTest, ExcludeHidesAnObjectFromBothSides) {
  Options options;
  options.filter.exclude = {"table:tmp_*"};
  const Schema before = schema_of({table("tmp_a", {column("x")})});
  const Schema after = schema_of({table("tmp_b", {column("x")}), table("t", {column("x")})});
  const Result result = compare(before, after, options);
  ASSERT_EQ(result.changes.size(), 1U);
  EXPECT_EQ(describe(result.changes[0]), "+ table t");
  EXPECT_EQ(result.out_of_scope.size(), 2U);
}

TEST(CompareTest, TheLedgerIsNeverCompared) {
  EXPECT_EQ(kinds(schema_of({table("_kedge_migrations", {column("x")})}), schema_of({})), Kinds{});
}

TEST(CompareTest, ASqliteViewChangedUnderItsStampIsRemade) {
  Schema expected = schema_of({table("t", {column("a")})});
  schema::View view;
  view.name = {{}, Identifier("v")};
  view.body = "SELECT a FROM t";
  view.fingerprint = std::string(64, 'a');
  expected.views.push_back(view);
  Schema actual = expected;
  Options options;
  options.dialect = schema::Dialect::Sqlite;
  actual.views[0].body = "SELECT  a\nFROM t";
  EXPECT_EQ(kinds(actual, expected, options), Kinds{});
  actual.views[0].body = "SELECT a + 1 AS a FROM t";
  EXPECT_EQ(kinds(actual, expected, options), (Kinds{"drop-view", "create-view"}));
}

TEST(CompareTest, ReverseUndoesEveryChange) {
  const Schema before = schema_of({table("gone", {column("x")}), table("t", {column("a")})});
  const Schema after = schema_of({table("t", {column("b_long")})});
  const auto there = compare(before, after, {}).changes;
  for (const Change& change : there) {
    EXPECT_EQ(reverse(reverse(change)), change);
  }
  EXPECT_EQ(reverse_all(there).size(), compare(after, before, {}).changes.size());
}

TEST(CompareTest, SqliteHoldsManyTypesAsText) {
  Options options;
  options.dialect = schema::Dialect::Sqlite;
  options.equality = Equality::Declared;
  Column live = column("at", TypeKind::Native);
  live.type.native = "DATETIME";
  EXPECT_EQ(kinds(schema_of({table("t", {live})}),
                  schema_of({table("t", {column("at", TypeKind::TimestampTz)})}), options),
            Kinds{});
  EXPECT_EQ(
      kinds(schema_of({table("t", {live})}), schema_of({table("t", {column("at")})}), options),
      Kinds{"change-column-type"});
}

TEST(CompareTest, ADeclarationTakesBackTheClockAndKeepsWhatItCannotSay) {
  Options options;
  options.dialect = schema::Dialect::Mysql;
  options.equality = Equality::Declared;
  Column live = column("at", TypeKind::TimestampTz);
  live.options = {{"on_update", "current_timestamp(3)"}, {"invisible", "true"}};
  const Result result =
      compare(schema_of({table("t", {live})}),
              schema_of({table("t", {column("at", TypeKind::TimestampTz)})}), options);
  ASSERT_EQ(result.changes.size(), 1U);
  const auto& change = std::get<change::ChangeColumnOptions>(result.changes[0]);
  EXPECT_EQ(change.after.options, (std::map<std::string, std::string>{{"invisible", "true"}}));
}

TEST(WideningTest, FollowsTheTable) {
  const auto text = [](std::optional<int> length) {
    schema::Type type;
    type.kind = TypeKind::Text;
    type.length = length;
    return type;
  };
  EXPECT_TRUE(is_widening(text(5), text(9)));
  EXPECT_TRUE(is_widening(text(5), text(std::nullopt)));
  EXPECT_FALSE(is_widening(text(9), text(5)));
  EXPECT_FALSE(is_widening(text(std::nullopt), text(5)));
  schema::Type numeric;
  numeric.kind = TypeKind::Numeric;
  numeric.precision = 12;
  numeric.scale = 2;
  schema::Type int32;
  int32.kind = TypeKind::Int32;
  EXPECT_TRUE(is_widening(int32, numeric));
  numeric.precision = 11;
  EXPECT_FALSE(is_widening(int32, numeric));
}

}  // namespace
}  // namespace kedge::diff
