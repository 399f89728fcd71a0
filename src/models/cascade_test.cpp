// The rules of the cascade that the shared cases do not show (models.md 3, 8, 9), on hand-made live
// shapes.
#include "models/cascade.h"

#include <gtest/gtest.h>

#include <string>

#include "kedge/codes.h"
#include "models/explain.h"
#include "models/renames.h"
#include "models/test_support.h"

namespace kedge::models {
namespace {

using test::Project;
using test::shown;

const std::string kDepots =
    "sql_table: depots\ncolumns: [{name: id, type: INT, primary_key: true}, {name: city}]\n";

TEST(CascadeTest, DropsNothingFromAHealthyProject) {
  Project project;
  project.model("depots", kDepots).table("depots", "id:number city:string");
  EXPECT_EQ(shown(project.drops()), "");
}

TEST(CascadeTest, ChoosesTheColumnBeforeTheMeasureAndThePath) {
  Project project;
  project
      .model("crates",
             "sql_table: crates\ncolumns: [{name: depot, type: INT}, {name: kg, type: INT}]\n"
             "measures: [{name: load, formula: 'kg:sum'},\n"
             "  {name: mixed, formula: 'depots.city:max + load + kg:sum'}]\n"
             "joins: [{target_model: depots, join_pairs: [[depot, id]]}]\n")
      .model("depots", kDepots)
      .table("crates", "x:number")
      .table("depots", "id:number city:string");
  EXPECT_EQ(shown(project.drops()),
            "~main/crates column:depot=column_missing column:kg=column_missing "
            "measure:load=references_dropped_column measure:mixed=references_dropped_column "
            "join:depots=join_local_key_dropped\n");
}

TEST(CascadeTest, ClearsTheDefaultTimeDimension) {
  Project project;
  project
      .model("a", "sql_table: a\ncolumns: [{name: at, type: DATE}]\ndefault_time_dimension: at\n")
      .table("a", "other:string");
  EXPECT_EQ(shown(project.drops()),
            "~main/a column:at=column_missing default_time_dimension:at=default_cleared\n");
}

TEST(CascadeTest, ListsEqualFiltersOnce) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: x}]\nfilters: ['x = 1', 'x = 1', 'y = 1']\n")
      .table("a", "y:string");
  const auto entries = project.drops();
  EXPECT_EQ(std::get<EditModelDelete>(entries.at(0)).remove_filters,
            std::vector<std::string>{"x = 1"});
}

TEST(CascadeTest, FollowsTwoJoinsToOneTargetByTheirHops) {
  Project project;
  project
      .model("orders",
             "sql_table: orders\ncolumns: [{name: bill_id, type: INT}, {name: ship_id, type: INT},"
             " {name: b, sql: 'billing.city'}, {name: s, sql: 'shipping.city'}]\n"
             "joins: [{target_model: depots, name: billing, join_pairs: [[bill_id, id]]},\n"
             "  {target_model: depots, name: shipping, join_pairs: [[ship_id, id]]}]\n")
      .model("depots", kDepots)
      .table("orders", "bill_id:number")
      .table("depots", "id:number city:string");
  EXPECT_EQ(shown(project.drops()),
            "~main/orders column:ship_id=column_missing column:s=path_dropped "
            "join:shipping=join_local_key_dropped\n");
}

TEST(CascadeTest, SparesUsersOfAKeyButNotItsJoins) {
  Project project;
  project
      .model("crates",
             "sql_table: crates\ncolumns: [{name: depot, type: INT}, {name: site, sql: "
             "'depots.city'}, {name: t, sql: 'depots.id + 1'}]\n"
             "joins: [{target_model: depots, join_pairs: [[depot, id]]}]\n")
      .model("depots", kDepots)
      .table("crates", "depot:number")
      .table("depots", "city:string");
  EXPECT_EQ(shown(project.drops()),
            "~main/crates column:site=path_dropped column:t=path_dropped "
            "join:depots=join_target_key_dropped\n~main/depots column:id=column_missing\n");
}

TEST(CascadeTest, ReportsWhatTheKeyRuleSparesWhenDeep) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: id, type: INT, primary_key: true}, {name: t, sql: "
             "'id + 1'}]\n")
      .table("a", "x:number");
  CascadeOptions deep;
  deep.depth = Depth::Deep;
  EXPECT_EQ(shown(project.drops()), "~main/a column:id=column_missing\n");
  EXPECT_EQ(shown(project.drops(deep)),
            "~main/a column:id=column_missing column:t=references_dropped_column\n");
}

TEST(CascadeTest, LooksAtUndeclaredColumnsWhenDeep) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: x, type: INT}, {name: t, sql: 'gone + x'}, {name: r, "
             "sql: 'rowid + 1'}, {name: h, sql: 'nowhere.y + 1'}, {name: o, sql: 'there + 1'}]\n")
      .table("a", "x:number there:number");
  CascadeOptions deep;
  deep.depth = Depth::Deep;
  EXPECT_EQ(shown(project.drops()), "");
  EXPECT_EQ(shown(project.drops(deep)),
            "~main/a column:t=references_missing_column column:h=path_missing\n");
  const ModelSet set = project.load();
  deep.accepted = find_deep_candidates(set, "main", project.live["main"]);
  ASSERT_EQ(deep.accepted.size(), 2U);
  EXPECT_EQ(deep.accepted[0].text, "gone + NULL");
  EXPECT_EQ(shown(project.drops(deep)), "");
}

TEST(CascadeTest, LeavesWhatCouldNotBeCheckedAlone) {
  Project project;
  project
      .model("crates",
             "sql_table: crates\ncolumns: [{name: depot, type: INT}, {name: site, sql: "
             "'depots.city'}]\njoins: [{target_model: depots, join_pairs: [[depot, id]]}]\n")
      .model("depots", kDepots)
      .table("crates", "depot:number");
  project.live["main"].models["depots"] = {LiveShape::State::Opaque, nullptr, "no right"};
  EXPECT_EQ(shown(project.drops()), "");
}

TEST(CascadeTest, TakesABrokenFileForAnExistingModel) {
  Project project;
  project
      .model("crates",
             "sql_table: crates\ncolumns: [{name: depot, type: INT}, {name: site, sql: "
             "'depots.city'}]\njoins: [{target_model: depots, join_pairs: [[depot, id]]}]\n")
      .table("crates", "depot:number");
  ModelSet set = project.load();
  set.existing.insert({"main", "depots"});
  EXPECT_EQ(shown(compute_drops(set, project.live)), "");
  set.existing.erase({"main", "depots"});
  EXPECT_EQ(shown(compute_drops(set, project.live)),
            "~main/crates column:site=path_dropped join:depots=join_target_missing\n");
  set.existing.insert({"other", "depots"});
  EXPECT_EQ(shown(compute_drops(set, project.live)), "");
}

TEST(CascadeTest, KeepsOutOfScopeTablesOutOfSight) {
  Project project;
  project
      .model("crates",
             "sql_table: crates\ncolumns: [{name: depot, type: INT}, {name: gone, type: INT}, "
             "{name: site, sql: 'depots.city'}]\n"
             "joins: [{target_model: depots, join_pairs: [[depot, id]]}]\n")
      .model("depots", kDepots)
      .table("crates", "depot:number")
      .missing("depots");
  CascadeOptions options;
  options.scope.include_tables = {"crates"};
  EXPECT_EQ(shown(project.drops(options)), "~main/crates column:gone=column_missing\n");
  options.scope = {{}, {"cr*"}};
  EXPECT_EQ(shown(project.drops(options)), "-main/depots model:depots=table_missing\n");
}

TEST(CascadeTest, MatchesScopesAsTheDatabaseFoldsNames) {
  const auto missing = [](SqlDialect dialect, const std::string& table, const Scope& scope) {
    Project project;
    project.dialect = dialect;
    project.model("a", "sql_table: '" + table + "'\n").missing("a");
    CascadeOptions options;
    options.scope = scope;
    return !project.drops(options).empty();
  };
  EXPECT_FALSE(missing(SqlDialect::Postgres, "Crates", {{}, {"crates"}}));
  EXPECT_FALSE(missing(SqlDialect::Postgres, "Sales.Crates", {{}, {"sales.crates"}}));
  EXPECT_TRUE(missing(SqlDialect::Postgres, "\"Crates\"", {{}, {"crates"}}));
  EXPECT_TRUE(missing(SqlDialect::Sqlite, "crates", {{"Crates"}, {}}));
  EXPECT_FALSE(missing(SqlDialect::Sqlite, "crates", {{"Crates"}, {"CRATES"}}));
}

TEST(CascadeTest, CountsABareInnerNameOnlyWhenNoInnerTableHasIt) {
  Project project;
  project
      .model("teams",
             "sql_table: teams\ncolumns: [{name: points, type: INT}, {name: city},\n"
             "  {name: a, sql: '(SELECT MAX(points) FROM awards)'},\n"
             "  {name: b, sql: '(SELECT COUNT(*) FROM awards WHERE awards.town = city)'},\n"
             "  {name: c, sql: '(SELECT COUNT(*) FROM unknown_table WHERE town = city)'}]\n")
      .table("teams", "x:number");
  project.live["main"].relations.push_back(
      {{Identifier(), Identifier("awards")}, test::live_table("points town").columns});
  EXPECT_EQ(shown(project.drops()),
            "~main/teams column:points=column_missing column:city=column_missing "
            "column:b=references_dropped_column\n");
}

TEST(CascadeTest, FollowsUnreadableTextByDeclaredNamesOnly) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: x, type: INT}, {name: t, sql: 'x ~~> (y'}, {name: u, "
             "sql: 'y ~~> (z'}]\n")
      .table("a", "y:number");
  EXPECT_EQ(shown(project.drops()),
            "~main/a column:x=column_missing column:t=references_dropped_column\n");
}

TEST(CascadeTest, DropsAQueryBackedModelWhoseRootIsGone) {
  Project project;
  project.model("q", "source_queries: [{source_model: nowhere, measures: ['*:count']}]\n")
      .model("a", "sql_table: a\n")
      .table("a", "x:number");
  EXPECT_EQ(shown(project.drops()), "-main/q model:q=stage_source_dropped\n");
}

TEST(CascadeTest, ResolvesALaterStageAgainstTheOutputsOfTheEarlierOne) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: x, type: INT}, {name: y, type: INT}]\n")
      .model("q",
             "source_queries:\n  - {name: s, source_model: a, dimensions: [y], measures: "
             "[{formula: 'y:sum', name: x}]}\n  - {source_model: s, measures: ['x:max']}\n")
      .table("a", "y:number");
  EXPECT_EQ(shown(project.drops()), "~main/a column:x=column_missing\n");
}

TEST(CascadeTest, CountsWhatAnExtensionUses) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: x, type: INT}, {name: y, type: INT}]\n")
      .model("q",
             "source_queries:\n  - source_model: {source_name: a, columns: [{name: z, sql: 'x + "
             "1'}]}\n    dimensions: [y]\n    measures: ['z:sum']\n")
      .table("a", "y:number");
  EXPECT_EQ(shown(project.drops()),
            "~main/a column:x=column_missing\n-main/q model:q=stage_references_dropped_column\n");
}

TEST(CascadeTest, CountsASavedMeasureOfAStage) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: x, type: INT}, {name: y, type: INT}]\n"
             "measures: [{name: total, formula: 'x:sum'}]\n")
      .model("q", "source_queries: [{source_model: a, dimensions: [y], measures: [total]}]\n")
      .table("a", "y:number");
  EXPECT_EQ(shown(project.drops()),
            "~main/a column:x=column_missing measure:total=references_dropped_column\n"
            "-main/q model:q=stage_references_dropped_measure\n");
}

TEST(CascadeTest, NeverComparesAnUndeterminedType) {
  Project project;
  project.model("a", "sql: SELECT 1 AS x\ncolumns: [{name: x, type: TEXT}]\n").table("a", "x");
  EXPECT_EQ(shown(project.drops()), "");
}

TEST(CascadeTest, FoldsNamesByTheDialect) {
  Project project;
  project.dialect = SqlDialect::Postgres;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: Kg, type: INT}, {name: City, sql: '\"City\"'}, "
             "{name: t, sql: '\"city\" || x'}]\n")
      .table("a", "kg:number city:string");
  EXPECT_EQ(shown(project.drops()), "~main/a column:City=column_missing\n");
}

TEST(CascadeTest, TakesAColumnInItsOwnFilterForTheColumn) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns:\n  - {name: kg, type: INT}\n  - {name: t, type: DOUBLE, "
             "sql: \"kg / 1000.0\", filter: \"t > 1\"}\n")
      .table("a", "kg:number");
  EXPECT_EQ(shown(project.drops({Depth::Deep, {}, {}})), "");
}

TEST(CascadeTest, ExplainsEveryDropByItsCause) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: x, type: INT}, {name: t, sql: 'x + 1'}]\n"
             "measures: [{name: m, formula: 't:sum'}]\n")
      .table("a", "y:number");
  const auto drops = explain_drops(project.load(), project.live, {});
  ASSERT_EQ(drops.size(), 3U);
  EXPECT_FALSE(drops[0].cause);
  EXPECT_EQ(drops[1].cause, 0U);
  EXPECT_EQ(drops[2].cause, 1U);
}

TEST(RenameTest, HintsAtTheOneSimilarColumn) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: kg, type: INT}, {name: city}]\n")
      .table("a", "weight_kg:number city:string kg_text:string");
  const auto hints = find_rename_hints(project.load(), project.live, project.drops());
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_EQ(hints[0].candidate, "weight_kg");
}

// "weight_kg 62: similar name; same place in the table", one line a candidate.
std::string suggested(const Project& project, const RenameEvidence& evidence = {}) {
  std::string text;
  for (const RenameCandidate& one :
       find_rename_candidates(project.load(), project.live, project.drops(), evidence)) {
    text += one.candidate;
    for (const std::string& reason : one.reasons) {
      text += "; " + reason;
    }
    text += "\n";
  }
  return text;
}

TEST(RenameTest, SuggestsByNameAndPlaceWithinTheBucket) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: id, type: INT}, {name: kg, type: INT}]\n")
      .table("a", "id:number weight_kg:number kg_text:string other:number");
  EXPECT_EQ(suggested(project), "weight_kg; similar name; same place in the table\n");
}

TEST(RenameTest, SuggestsByForeignKeyAndIndex) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: id, type: INT}, {name: note}, {name: depot_ref, type: "
             "INT}]\njoins: [{target_model: depots, join_pairs: [[depot_ref, id]]}]\n")
      .model("depots", "sql_table: depots\ncolumns: [{name: id, type: INT}]\n")
      .table("a", "id:number note:string size:number depot_reference:number depot_refs:number")
      .table("depots", "id:number");
  schema::Schema schema;
  schema::Table table;
  table.name.name = Identifier("a");
  schema::ForeignKey key;
  key.columns = {Identifier("depot_reference")};
  key.referenced_table.name = Identifier("depots");
  table.foreign_keys.push_back(key);
  schema::Index index;
  index.parts.resize(1);
  index.parts[0].column = Identifier("depot_refs");
  table.indexes.push_back(index);
  schema.tables.push_back(table);
  EXPECT_EQ(suggested(project, {{{"main", &schema}}, {}}),
            "depot_reference; similar name; same key\ndepot_refs; similar name; indexed\n");
}

TEST(RenameTest, ComparesTheValuesOfKeysInABoundedSample) {
  Project project;
  project
      .model("a",
             "sql_table: a\ncolumns: [{name: id, type: INT}, {name: note}, {name: depot_ref, type: "
             "INT}]\njoins: [{target_model: depots, join_pairs: [[depot_ref, id]]}]\n")
      .model("depots", "sql_table: depots\ncolumns: [{name: id, sql: number, type: INT}]\n")
      .table("a", "id:number note:string size:number depot_reference:number depot_refs:number")
      .table("depots", "number:number");
  const std::vector<ValueProbe> probes =
      find_value_probes(project.load(), project.live, project.drops());
  ASSERT_EQ(probes.size(), 3U);
  EXPECT_EQ(probes[1].against, "depots.id");
  EXPECT_EQ(probes[1].sql,
            "SELECT COUNT(*), SUM(CASE WHEN EXISTS (SELECT 1 FROM depots k WHERE k.number = s.v) "
            "THEN 1 ELSE 0 END) FROM (SELECT t.depot_reference AS v FROM a t WHERE "
            "t.depot_reference IS NOT NULL LIMIT 200) s");
  const RenameEvidence evidence{{}, {{probes[1], 200, 0}, {probes[2], 200, 190}}};
  EXPECT_EQ(suggested(project, evidence),
            "depot_refs; similar name; values of depots.id (190 of 200)\n");
}

// Two columns over one live column, and one of another.
Project two_columns_over_one() {
  Project project;
  project
      .model("t",
             "sql_table: t\ncolumns: [{name: id, type: INT}, {name: weight_kg, type: DOUBLE}, "
             "{name: w3, sql: weight_kg, type: DOUBLE, filter: 'id > 1'}]\n")
      .table("t", "id:number weight_kilo:number x:string")
      .model("u", "sql_table: u\ncolumns: [{name: id, type: INT}, {name: qty, type: INT}]\n")
      .table("u", "id:number zz:number");
  return project;
}

std::string chosen(const Project& project, const std::vector<std::string>& wanted) {
  const auto candidates =
      find_rename_candidates(project.load(), project.live, project.drops(), {}, 0);
  std::string text;
  try {
    for (const RenameCandidate& one : choose_renames(candidates, wanted)) {
      text += one.model.second + "." + one.column + "=" + one.candidate + " ";
    }
  } catch (const Error& error) {
    text = error.problem().message + " (" + error.problem().hint + ")";
  }
  return text;
}

TEST(RenameTest, TakesEveryColumnOverTheRenamedOne) {
  const Project project = two_columns_over_one();
  EXPECT_EQ(suggested(project),
            "weight_kilo; similar name; same place in the table\n"
            "weight_kilo; similar name; same place in the table\n");
  EXPECT_EQ(chosen(project, {}), "t.weight_kg=weight_kilo t.w3=weight_kilo ");
  EXPECT_EQ(chosen(project, {"t.w3=weight_kilo"}), "t.weight_kg=weight_kilo t.w3=weight_kilo ");
}

TEST(RenameTest, TakesWhatIsNamedWhateverItsScore) {
  EXPECT_EQ(chosen(two_columns_over_one(), {"u.qty=zz"}), "u.qty=zz ");
}

TEST(RenameTest, AsksForTheDataSourceWhereTwoHaveTheColumn) {
  const RenameCandidate here{{"x", "t"}, "a", "a", "a", "zz", "zz", 10, {}};
  const RenameCandidate there{{"y", "t"}, "a", "a", "a", "zz", "zz", 10, {}};
  EXPECT_EQ(choose_renames({here}, {"t.a=zz"}).size(), 1U);
  try {
    choose_renames({here, there}, {"t.a=zz"});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().code, codes::ambiguous_model);
    EXPECT_NE(error.problem().message.find("x, y"), std::string::npos);
  }
}

TEST(RenameTest, LeavesOneLiveColumnThatTwoLostOnesMayHaveBecome) {
  const RenameCandidate net{{"main", "a"}, "net", "kg_net", "kg_net", "kg_neto", "kg_neto", 72, {}};
  RenameCandidate nets{{"main", "a"}, "nets", "kg_nets", "kg_nets", "kg_neto", "kg_neto", 60, {}};
  EXPECT_TRUE(choose_renames({net, nets}, {}).empty());
  EXPECT_EQ(choose_renames({net, nets}, {"a.net=kg_neto"}).size(), 1U);
  nets.score = 50;
  EXPECT_EQ(choose_renames({net, nets}, {}).size(), 1U);
}

// What suggests that a live column stands where the missing one stood: never its absence.
TEST(RenameTest, TakesNoMissingNeighbourForThePlace) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: kg, type: INT}, {name: twice, sql: kg * 2}]\n")
      .table("a", "x:string kgs:number");
  EXPECT_EQ(suggested(project), "");
}

TEST(RenameTest, JudgesAWideTable) {
  constexpr int kWide = 300;
  std::string columns;
  std::string live;
  std::vector<std::string> wanted;
  for (int number = 0; number < kWide; ++number) {
    columns += "  - {name: a" + std::to_string(number) + ", type: INT}\n";
    live += "z" + std::to_string(number) + ":number ";
    wanted.push_back("w.a" + std::to_string(number) + "=z" + std::to_string(number));
  }
  Project project;
  project.model("w", "sql_table: w\ncolumns:\n" + columns).table("w", live);
  const ModelSet models = project.load();
  const auto drops = project.drops();
  RenameEvidence evidence;
  for (int number = 0; number < kWide; ++number) {
    const std::string name = std::to_string(number);
    evidence.overlaps.push_back({{{"main", "w"}, "a" + name, "z" + name, "o.id", ""}, 200, 200});
  }
  const auto candidates = find_rename_candidates(models, project.live, drops, evidence, 0);
  EXPECT_EQ(candidates.size(), std::size_t{kWide} * kWide);
  EXPECT_EQ(choose_renames(candidates, wanted).size(), std::size_t{kWide});
  const auto sure = choose_renames(candidates, {});
  EXPECT_FALSE(sure.empty());
  for (const RenameCandidate& one : sure) {
    EXPECT_EQ(one.candidate.substr(1), one.column.substr(1));
  }
}

TEST(RenameTest, RefusesWishesThatNothingFulfils) {
  const Project project = two_columns_over_one();
  for (const std::string wish : {"junk", "t.weight_kg", "t.weight_kg=", "weight_kg=weight_kilo"}) {
    EXPECT_EQ(chosen(project, {wish}), "--rename '" + wish +
                                           "' is not understood (write MODEL.COLUMN=NEW, as in "
                                           "crates.kg=weight_kg)");
  }
  for (const std::string wish : {"t.nope=zzz", "zz.weight_kg=b", "t.id=weight_kilo"}) {
    EXPECT_NE(chosen(project, {wish}).find("is no column that may have been renamed"),
              std::string::npos)
        << wish;
  }
  for (const std::string wish : {"t.weight_kg=nope", "t.weight_kg=x", "t.weight_kg=id"}) {
    EXPECT_NE(chosen(project, {"u.qty=zz", wish}).find("possible for t.weight_kg: weight_kilo"),
              std::string::npos)
        << wish;
  }
}

TEST(RenameTest, RefusesTwoNewNamesForOneColumn) {
  Project project;
  project.model("a", "sql_table: a\ncolumns: [{name: kg, type: INT}]\n")
      .table("a", "x:number y:number");
  EXPECT_NE(chosen(project, {"a.kg=x", "a.kg=y"}).find("two new names: 'x' and 'y'"),
            std::string::npos);
}

TEST(RenameTest, PointsTheColumnToItsNewName) {
  const std::string text =
      "name: a\nsql_table: a\ncolumns:\n  - {name: kg, type: INT} # net\n  - {name: city}\n";
  const RenameCandidate rename{{"main", "a"},
                               "kg",
                               "kg",
                               "kg",
                               "Weight Kg",
                               written_name("Weight Kg", SqlDialect::Postgres),
                               90,
                               {}};
  const std::string changed =
      rename_in_text("models/main/a.yml", text, rename, SqlDialect::Postgres);
  const LoadedFile loaded =
      load_model_text("models/main/a.yml", changed, "main", SqlDialect::Postgres);
  ASSERT_TRUE(loaded.model);
  EXPECT_EQ(loaded.model->model.columns[0].physical, (PhysicalName{"Weight Kg", true}));
  EXPECT_NE(changed.find("# net"), std::string::npos);
}

}  // namespace
}  // namespace kedge::models
