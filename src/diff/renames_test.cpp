#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "kedge/diff.h"

namespace kedge::diff {
namespace {

using schema::Schema;

Schema one_table(const char* name, std::vector<std::string> columns) {
  Schema made;
  schema::Table table;
  table.name = {{}, Identifier(name)};
  for (const std::string& column : columns) {
    schema::Column one;
    one.name = Identifier(column);
    one.type.kind = schema::TypeKind::Text;
    table.columns.push_back(one);
  }
  made.tables = {table};
  return made;
}
schema::Name name(const char* text) {
  return {{}, Identifier(text)};
}

TEST(RenamesTest, SimilarColumnsAreAQuestion) {
  const Schema before = one_table("t", {"id", "draugt"});
  const Schema after = one_table("t", {"id", "draught"});
  Options options;
  EXPECT_EQ(compare(before, after, options).changes.size(), 2U);
  EXPECT_EQ(compare(before, after, options).ambiguous.size(), 1U);
  options.on_ambiguous = OnAmbiguous::Rename;
  EXPECT_EQ(describe(compare(before, after, options).changes.at(0)),
            "~ column t.draught was draugt");
  options.on_ambiguous = OnAmbiguous::Abort;
  try {
    compare(before, after, options);
    FAIL() << "no refusal";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_AMBIGUOUS_RENAME);
    EXPECT_NE(error.problem().hint.find("--rename-column t.draugt=draught"), std::string::npos);
  }
}

TEST(RenamesTest, DeclaredRenameOfTableCarriesReferencesAlong) {
  Schema before = one_table("skiffs", {"id", "parent"});
  before.tables[0].foreign_keys = {schema::ForeignKey{}};
  before.tables[0].foreign_keys[0].name = Identifier("skiffs_parent_fk");
  before.tables[0].foreign_keys[0].columns = {Identifier("parent")};
  before.tables[0].foreign_keys[0].referenced_table = name("skiffs");
  before.tables[0].foreign_keys[0].referenced_columns = {Identifier("id")};
  Schema after = before;
  after.tables[0].name = name("tenders");
  after.tables[0].foreign_keys[0].name = Identifier("tenders_parent_fk");
  after.tables[0].foreign_keys[0].referenced_table = name("tenders");
  Options options;
  options.declared.tables = {{name("skiffs"), name("tenders")}};
  const Result result = compare(before, after, options);
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_EQ(kind_of(result.changes[0]), "rename-table");
  EXPECT_EQ(kind_of(result.changes[1]), "rename-constraint");
}

TEST(RenamesTest, ADeclaredRenameMustBePending) {
  const Schema shape = one_table("t", {"id"});
  Options options;
  options.declared.columns = {{name("t"), Identifier("nr"), Identifier("id")}};
  EXPECT_THROW(compare(shape, shape, options), Error);
  options.declared.columns.clear();
  options.hints.columns = {{name("t"), Identifier("nr"), Identifier("id")}};
  EXPECT_TRUE(compare(shape, shape, options).changes.empty());
}

TEST(RenamesTest, AFormerNameThatAnotherTakesIsLeftFirst) {
  const Schema before = one_table("t", {"alpha", "omega"});
  const Schema after = one_table("t", {"omega", "zeta"});
  Options options;
  options.hints.columns = {{name("t"), Identifier("alpha"), Identifier("omega")},
                           {name("t"), Identifier("omega"), Identifier("zeta")}};
  Result result = compare(before, after, options);
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_EQ(describe(result.changes[0]), "~ column t.zeta was omega");
  EXPECT_EQ(describe(result.changes[1]), "~ column t.omega was alpha");
  EXPECT_TRUE(compare(after, after, options).changes.empty());
  options.hints.columns.erase(options.hints.columns.begin());  // who is omega then?
  EXPECT_EQ(describe(compare(before, after, options).changes.at(0)), "+ column t.zeta text");
  options.hints.columns = {{name("t"), Identifier("alpha"), Identifier("omega")},
                           {name("t"), Identifier("omega"), Identifier("alpha")}};
  EXPECT_TRUE(compare(before, before, options).changes.empty());  // both are there

  Schema tables = one_table("alfas", {"id", "a"});
  tables.tables.push_back(one_table("betas", {"id", "b"}).tables[0]);
  Schema renamed = one_table("betas", {"id", "a"});
  renamed.tables.push_back(one_table("gammas", {"id", "b"}).tables[0]);
  options.hints.tables = {{name("alfas"), name("betas")}, {name("betas"), name("gammas")}};
  result = compare(tables, renamed, options);
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_EQ(describe(result.changes[0]), "~ table gammas was betas");
  EXPECT_EQ(describe(result.changes[1]), "~ table betas was alfas");
}

TEST(RenamesTest, ARenamedColumnMayBeReshapedToo) {
  const Schema before = one_table("t", {"nr"});
  Schema after = one_table("t", {"number_of_all"});
  after.tables[0].columns[0].nullable = false;
  Options options;
  options.declared.columns = {{name("t"), Identifier("nr"), Identifier("number_of_all")}};
  const Result result = compare(before, after, options);
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_EQ(kind_of(result.changes[0]), "rename-column");
  EXPECT_EQ(kind_of(result.changes[1]), "change-column-nullable");
}

TEST(RenamesTest, ANameInOtherCaseIsNoQuestionWhereCaseTellsNothingApart) {
  const Schema before = one_table("T", {"Id"});
  const Schema after = one_table("t", {"id"});
  Options options;
  for (const auto dialect :
       {schema::Dialect::Sqlite, schema::Dialect::D1, schema::Dialect::Duckdb}) {
    options.dialect = dialect;
    const Result found = compare(before, after, options);
    ASSERT_EQ(found.changes.size(), 2U);
    EXPECT_EQ(describe(found.changes[0]), "~ table t was T");
    EXPECT_EQ(describe(found.changes[1]), "~ column t.id was Id");
    EXPECT_TRUE(found.ambiguous.empty());
  }
  options.dialect = schema::Dialect::Postgres;
  EXPECT_EQ(compare(before, after, options).changes.size(), 2U);  // one made, one dropped
  EXPECT_EQ(describe(compare(before, after, options).changes[0]), "+ table t");
}

}  // namespace
}  // namespace kedge::diff
