// What an ingest plans for a live schema (models.md 12), without a database.
#include "models/ingest.h"

#include <gtest/gtest.h>

#include <string>

#include "models/test_support.h"

namespace kedge::models {
namespace {

schema::Column column(const std::string& name, schema::TypeKind kind, const std::string& native) {
  schema::Column value;
  value.name = Identifier(name);
  value.type.kind = kind;
  value.type.native = native;
  return value;
}

schema::Column number(const std::string& name) {
  return column(name, schema::TypeKind::Int64, "bigint");
}

schema::Table table(const std::string& name, std::vector<schema::Column> columns) {
  schema::Table value;
  value.name.name = Identifier(name);
  value.columns = std::move(columns);
  return value;
}

schema::ForeignKey key(std::vector<std::string> columns, const std::string& target,
                       std::vector<std::string> referenced) {
  schema::ForeignKey value;
  for (const std::string& name : columns) {
    value.columns.emplace_back(name);
  }
  value.referenced_table.name = Identifier(target);
  for (const std::string& name : referenced) {
    value.referenced_columns.emplace_back(name);
  }
  return value;
}

class IngestTest : public testing::Test {
 public:
  IngestPlan plan(const IngestOptions& options = {}) {
    ModelStore store;
    std::map<std::string, std::string> texts;
    for (const auto& [id, text] : project_.texts) {
      store.files.emplace(id, "models/main/" + id.second + ".yml");
      texts.emplace(id.second, text);
    }
    store.set = project_.load();
    return plan_ingest({"main", project_.dialect, schema_, store, texts, options, sight_});
  }

  // Takes over what a plan would write.
  void write(const IngestPlan& plan) {
    for (const IngestChange& change : plan.changes) {
      project_.texts[{"main", change.addition.model_name}] = change.text;
    }
  }

  static std::string shown(const IngestPlan& plan) {
    std::string text;
    for (const IngestChange& change : plan.changes) {
      text += (change.addition.created ? "+" : "~") + change.addition.model_name;
      for (const std::string& name : change.addition.new_columns) {
        text += " " + name;
      }
      for (const std::string& name : change.addition.new_joins) {
        text += " >" + name;
      }
      text += "\n";
    }
    for (const IngestError& error : plan.errors) {
      text += error.model_name + "!" + error.code + "\n";
    }
    return text;
  }

  test::Project project_ = [] {
    test::Project project;
    project.dialect = SqlDialect::Postgres;
    return project;
  }();
  schema::Schema schema_;
  Sight sight_;
};

TEST_F(IngestTest, CreatesOnceAndThenAddsNothing) {
  schema_.tables = {
      table("a", {number("id"), column("Unit Price", schema::TypeKind::Real8, "float8"),
                  column("order", schema::TypeKind::Text, "text"), number("_count")})};
  const IngestPlan first = plan();
  EXPECT_EQ(shown(first), "+a id Unit_Price order count_col\n");
  write(first);
  const ModelSet set = project_.load();
  EXPECT_EQ(set.models[0].model.columns[1].physical, (PhysicalName{"Unit Price", true}));
  EXPECT_EQ(set.models[0].model.columns[2].physical, (PhysicalName{"order", true}));
  EXPECT_EQ(shown(plan()), "");
}

TEST_F(IngestTest, NamesTheSecondKeyToOneTarget) {
  schema_.tables = {table("depots", {number("id")}),
                    table("moves", {number("from_id"), number("to_id")})};
  schema_.tables[1].foreign_keys = {key({"to_id"}, "depots", {"id"}),
                                    key({"from_id"}, "depots", {"id"})};
  const IngestPlan first = plan();
  EXPECT_EQ(shown(first), "+depots id\n+moves from_id to_id >depots >to\n");
  write(first);
  EXPECT_EQ(shown(plan()), "");
}

TEST_F(IngestTest, MakesOneJoinOfACompositeKeyAndNoneOfASelfReference) {
  schema_.tables = {table("bays", {number("aisle"), number("bay")}),
                    table("picks", {number("id"), number("aisle"), number("bay"), number("up")})};
  schema_.tables[1].foreign_keys = {key({"aisle", "bay"}, "bays", {"aisle", "bay"}),
                                    key({"up"}, "picks", {"id"})};
  const IngestPlan first = plan();
  EXPECT_EQ(shown(first), "+bays aisle bay\n+picks id aisle bay up >bays\n");
  write(first);
  EXPECT_EQ(project_.load().models[1].model.joins[0].join_pairs.size(), 2U);
}

TEST_F(IngestTest, KnowsARenamedColumnAndItsJoin) {
  project_.model("crates",
                 "sql_table: crates\ncolumns: [{name: depot, sql: depot_ref, type: INT}]\n"
                 "joins: [{target_model: depots, join_pairs: [[depot, id]]}]\n");
  project_.model("depots", "sql_table: depots\ncolumns: [{name: id, type: INT}]\n");
  schema_.tables = {table("crates", {number("depot_ref")}), table("depots", {number("id")})};
  schema_.tables[0].foreign_keys = {key({"depot_ref"}, "depots", {"id"})};
  EXPECT_EQ(shown(plan()), "");
}

TEST_F(IngestTest, ReportsAColumnNamedLikeAMeasureAndAddsTheRest) {
  project_.model("a", "sql_table: a\nmeasures: [{name: total, formula: '*:count'}]\n");
  schema_.tables = {table("a", {number("total"), number("x")})};
  EXPECT_EQ(shown(plan()), "~a x\na!name_conflict\n");
}

TEST_F(IngestTest, LeavesModelsOfAPersonAlone) {
  project_.model("a", "sql: SELECT 1 AS x\n");
  project_.model("b", "sql_table: other\n");
  schema_.tables = {table("a", {number("x")}), table("b", {number("x")})};
  EXPECT_EQ(shown(plan()), "b!model_name_taken\n");
}

TEST_F(IngestTest, RefusesNamesThatDifferInCaseOnly) {
  schema_.tables = {table("Orders", {number("x")}), table("orders", {number("x")})};
  EXPECT_EQ(shown(plan()), "+Orders x\norders!name_conflict\n");
}

TEST_F(IngestTest, TakesTableNamesAsTheServerDoes) {
  project_.dialect = SqlDialect::Mysql;
  project_.model("boxes", "sql_table: BOXES\ncolumns: [{name: id, type: INT}]\n");
  schema_.engine.dialect = schema::Dialect::Mysql;
  schema_.tables = {table("Boxes", {number("ID"), number("kg")})};
  EXPECT_EQ(shown(plan()), "Boxes!name_conflict\n");
  sight_.folds_tables = true;
  EXPECT_EQ(shown(plan()), "~boxes kg\n");
}

TEST_F(IngestTest, KnowsTheModelThatTheSearchPathLeadsTo) {
  project_.model("a", "sql_table: a\ncolumns: [{name: id, type: INT}]\n");
  schema_.default_schema = Identifier("public");
  schema_.tables = {table("a", {number("id"), number("x")})};
  schema_.tables[0].name.schema = Identifier("back");
  IngestOptions options;
  options.schema_name = "back";
  EXPECT_EQ(shown(plan(options)), "a!model_name_taken\n");
  sight_.searched.emplace().emplace("a", "back.a");
  EXPECT_EQ(shown(plan(options)), "~a x\n");
}

TEST_F(IngestTest, TakesViewsUnlessToldOtherwise) {
  schema::View view;
  view.name.name = Identifier("v");
  view.columns = {{Identifier("x"), number("x").type, ""}};
  schema_.views = {view};
  EXPECT_EQ(shown(plan()), "+v x\n");
  IngestOptions options;
  options.views = false;
  EXPECT_EQ(shown(plan(options)), "");
}

TEST_F(IngestTest, KeepsToItsScopeAndWarnsOfUnknownNames) {
  schema_.tables = {table("a", {number("id")}), table("b", {number("a_id")}),
                    table("_kedge_migrations", {number("x")})};
  schema_.tables[1].foreign_keys = {key({"a_id"}, "a", {"id"})};
  IngestOptions options;
  options.scope = {{"b", "nope"}, {}};
  const IngestPlan result = plan(options);
  EXPECT_EQ(shown(result), "+b a_id\n");
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].problem.code.name(), "unknown_table");
  EXPECT_EQ(shown(plan()), "+a id\n+b a_id >a\n");
}

TEST_F(IngestTest, WarnsOfPatternsAndSchemasThatMatchNothing) {
  schema_.default_schema = Identifier("public");
  schema_.tables = {table("crates", {number("id")}), table("boxes", {number("id")})};
  schema_.tables[1].name.schema = Identifier("stock");
  const auto warned = [&](const std::string& schema, Scope scope) {
    IngestOptions options;
    options.schema_name = schema;
    options.scope = std::move(scope);
    std::string names;
    for (const Finding& finding : plan(options).warnings) {
      EXPECT_EQ(finding.problem.code.name(), "unknown_table");
      names += finding.subject.name + " ";
    }
    return names;
  };
  EXPECT_EQ(warned("", {{"nope*", "cr*", "public.cr*", "zz.cr*"}, {}}), "nope* zz.cr* ");
  EXPECT_EQ(warned("", {{"cr*", "crates", "public.crates"}, {"crates"}}), "");
  EXPECT_EQ(warned("", {{"boxes", "stock.b*"}, {}}), "boxes stock.b* ");
  EXPECT_EQ(warned("stock", {{"boxes", "stock.b*"}, {}}), "");
  EXPECT_EQ(warned("zz", {{"cr*", "crates"}, {}}), "zz cr* crates ");
  EXPECT_EQ(warned("zz", {}), "zz ");
  EXPECT_EQ(warned("public", {}), "");
}

TEST_F(IngestTest, GivesANameToTheRelationThatHasIt) {
  schema_.tables = {table("a__b", {number("x")}), table("a_b", {number("y")})};
  EXPECT_EQ(shown(plan()), "+a_b y\na_b!name_conflict\n");
}

TEST_F(IngestTest, WritesTheSchemaOfAForeignRelation) {
  schema_.default_schema = Identifier("public");
  schema_.tables = {table("a", {number("id")})};
  schema_.tables[0].name.schema = Identifier("Sales");
  IngestOptions options;
  options.schema_name = "Sales";
  const IngestPlan result = plan(options);
  ASSERT_EQ(shown(result), "+a id\n");
  write(result);
  EXPECT_EQ(project_.load().models[0].model.sql_table, "\"Sales\".a");
  EXPECT_EQ(shown(plan(options)), "");
}

}  // namespace
}  // namespace kedge::models
