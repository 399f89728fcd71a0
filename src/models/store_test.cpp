// A project's models folder as a whole (models.md 1, 3.5): collisions, unknown data sources,
// cycles.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kedge/codes.h"
#include "models/store.h"

namespace kedge::models {
namespace {

class StoreTest : public testing::Test {
 public:
  StoreTest& file(const std::string& path, const std::string& text) {
    files_->write("/p/models/" + path, text);
    return *this;
  }
  StoreTest& table(const std::string& path, const std::string& name, const std::string& more = "") {
    return file(path, "name: " + name + "\nsql_table: " + name + "\n" + more);
  }
  ModelStore load(std::optional<std::string> only = std::nullopt) const {
    return load_models(*files_,
                       {"/p", {{"main", SqlDialect::Sqlite}, {"north", SqlDialect::Sqlite}}, only});
  }
  static std::string codes_of(const ModelStore& store) {
    std::string shown;
    for (const Finding& finding : store.problems) {
      shown += std::string(finding.problem.code.name()) + "@" + finding.problem.where->file + " ";
    }
    return shown;
  }

  std::unique_ptr<base::FileSystem> files_ = base::make_memory_file_system();
};

TEST_F(StoreTest, ReadsBothEndingsInNameOrder) {
  table("main/b.yml", "b").table("main/a.yaml", "a").table("north/a.yml", "a");
  const ModelStore store = load();
  ASSERT_EQ(store.set.models.size(), 3U);
  EXPECT_EQ(store.set.models[0].id(), (ModelId{"main", "a"}));
  EXPECT_EQ(store.set.models[2].id(), (ModelId{"north", "a"}));
  EXPECT_TRUE(store.problems.empty());
}

TEST_F(StoreTest, RefusesTwoFilesOfOneModel) {
  table("main/a.yml", "a").table("main/a.yaml", "a");
  EXPECT_EQ(codes_of(load()),
            "duplicate_model_file@models/main/a.yaml duplicate_model_file@models/main/a.yml ");
}

TEST_F(StoreTest, RefusesNamesThatDifferInCaseOnly) {
  table("main/Orders.yml", "Orders").table("main/orders.yml", "orders");
  EXPECT_EQ(codes_of(load()),
            "id_collision@models/main/Orders.yml id_collision@models/main/orders.yml ");
}

TEST_F(StoreTest, ReportsAnUnknownDataSourceAndGoesOn) {
  table("mian/a.yml", "a").table("main/a.yml", "a");
  const ModelStore store = load();
  EXPECT_EQ(codes_of(store), "unknown_data_source@models/mian/a.yml ");
  EXPECT_EQ(store.set.models.size(), 1U);
}

TEST_F(StoreTest, KeepsABrokenModelAsExisting) {
  file("main/a.yml", "name: a\n").table("main/b.yml", "b");
  const ModelStore store = load();
  EXPECT_EQ(codes_of(store), "source_mode@models/main/a.yml ");
  EXPECT_TRUE(store.set.existing.contains({"main", "a"}));
  EXPECT_EQ(store.set.models.size(), 1U);
}

TEST_F(StoreTest, ListsTheOtherDataSourcesWithoutReadingThem) {
  file("north/a.yml", "broken: [").table("main/b.yml", "b");
  const ModelStore store = load("main");
  EXPECT_TRUE(store.problems.empty());
  EXPECT_TRUE(store.set.existing.contains({"north", "a"}));
}

TEST_F(StoreTest, FindsACycleOfDerivedColumnsAcrossModels) {
  table("main/a.yml", "a",
        "columns: [{name: x, sql: 'b.y + 1'}]\njoins: [{target_model: b, join_pairs: [[k, k]]}]\n");
  table("main/b.yml", "b",
        "columns: [{name: y, sql: 'a.x + 1'}]\njoins: [{target_model: a, join_pairs: [[k, k]]}]\n");
  const ModelStore store = load();
  EXPECT_EQ(codes_of(store), "column_cycle@models/main/a.yml column_cycle@models/main/b.yml ");
  EXPECT_NE(store.problems[0].problem.message.find("a.x -> b.y -> a.x"), std::string::npos);
}

TEST_F(StoreTest, FindsACycleOfQueryBackedModels) {
  const auto over = [&](const std::string& name, const std::string& source) {
    file("main/" + name + ".yml",
         "name: " + name + "\nsource_queries:\n  - {name: s, source_model: " + source +
             ", dimensions: [x]}\n" + "  - {source_model: s, dimensions: [x]}\n");
  };
  over("q1", "q2");
  over("q2", "q1");
  over("q3", "q1");
  over("q4", "t");
  const ModelStore store = load();
  EXPECT_EQ(codes_of(store), "stage_cycle@models/main/q1.yml stage_cycle@models/main/q2.yml ");
  EXPECT_NE(store.problems[0].problem.message.find("q1 -> q2 -> q1"), std::string::npos);
}

// What a stage needs beside its source: the joins on the way to a name, those of its extension.
TEST_F(StoreTest, FindsACycleOfQueryBackedModelsOverJoins) {
  const std::string joins = "joins: [{target_model: q, join_pairs: [[k, k]]}]\n";
  const auto backed = [&](const std::string& name, const std::string& stage) {
    file("main/" + name + ".yml", "name: " + name + "\nsource_queries: [" + stage + "]\n");
  };
  const auto chain = [&]() -> std::string {
    const ModelStore store = load();
    if (store.problems.empty()) {
      return "";
    }
    EXPECT_EQ(store.problems[0].problem.code, codes::stage_cycle);
    const std::string& text = store.problems[0].problem.message;
    return text.substr(text.rfind(": ") + 2);
  };
  table(
      "main/t.yml", "t",
      "columns: [{name: k, type: INT}, {name: far, sql: q.k}, {name: near, sql: k + 1}]\n" + joins);
  for (const char* used : {"q.k", "far"}) {
    backed("q", "{source_model: t, dimensions: [k, " + std::string(used) + "]}");
    EXPECT_EQ(chain(), "q -> q") << used;
  }
  for (const char* used : {"k", "near"}) {
    backed("q", "{source_model: t, dimensions: [k, " + std::string(used) + "]}");
    EXPECT_EQ(chain(), "") << used;
  }
  backed("q", "{source_model: t, dimensions: [k]}");
  const auto extended = [](const std::string& target) {
    return "{source_model: {source_name: t, joins: [{target_model: " + target +
           ", join_pairs: [[k, k]]}]}, dimensions: [k]}";
  };
  backed("u", extended("u"));
  EXPECT_EQ(chain(), "u -> u");
  backed("u", extended("v"));
  backed("v", extended("u"));
  EXPECT_EQ(chain(), "u -> v -> u");
  backed("v", extended("q"));
  EXPECT_EQ(chain(), "");
}

TEST_F(StoreTest, NamesTheFileThatIsEmpty) {
  file("main/a.yml", "").file("main/b.yml", "# nothing\n");
  const ModelStore store = load();
  ASSERT_FALSE(store.problems.empty());
  for (const Finding& finding : store.problems) {
    EXPECT_TRUE(finding.problem.where) << finding.problem.message;
  }
}

TEST_F(StoreTest, FindsACycleOfMeasures) {
  table("main/a.yml", "a",
        "measures: [{name: p, formula: 'q + 1'}, {name: q, formula: 'p + 1'}]\n");
  EXPECT_EQ(codes_of(load()), "measure_cycle@models/main/a.yml ");
}

TEST_F(StoreTest, ShowsAChainThatReallyCloses) {
  table("main/a.yml", "a",
        "measures: [{name: p, formula: 'q + 1'}, {name: q, formula: 'r + s'}, {name: r, formula: "
        "'q + 1'}, {name: s, formula: 'p + 1'}]\n");
  const ModelStore store = load();
  ASSERT_EQ(store.problems.size(), 1U);
  EXPECT_NE(store.problems[0].problem.message.find("circle: a.p -> a.q -> a.s -> a.p"),
            std::string::npos)
      << store.problems[0].problem.message;
}

TEST_F(StoreTest, TakesAColumnOverItsOwnSourceNameForNoCycle) {
  table("main/a.yml", "a", "columns: [{name: x, sql: 'UPPER(x)'}, {name: y, sql: 'x || a.y'}]\n");
  EXPECT_EQ(codes_of(load()), "");
}

}  // namespace
}  // namespace kedge::models
