// The C++ API of models (models.md 14.1) on a real sqlite file.
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "engine/connectors.h"
#include "kedge/codes.h"
#include "kedge/engine.h"

namespace kedge::models {
namespace {

class EngineTest : public testing::Test {
 public:
  EngineTest() {
    write("project.yml", "name: harbour\nversion: \"1.0.0\"\n");
    write("connections.yml", "main: {connector: sqlite, path: main.db}\n");
    execute("CREATE TABLE crates (id INTEGER PRIMARY KEY, kg REAL)");
  }

  void write(const std::string& name, const std::string& text) {
    files_->write(base::join_path(folder_.path(), name), text);
  }
  std::optional<std::string> read(const std::string& name) const {
    return files_->read(base::join_path(folder_.path(), name));
  }
  void execute(const std::string& sql) {
    db::ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "sqlite";
    settings.options["path"] = base::join_path(folder_.path(), "main.db");
    settings.access = db::AccessMode::Create;
    engine::make_registry().connect(settings)->execute(sql);
  }

  std::unique_ptr<base::FileSystem> files_ = base::make_file_system();
  base::TemporaryFolder folder_;
};

TEST_F(EngineTest, IngestsValidatesAndRepairs) {
  Engine engine(folder_.path());
  ASSERT_EQ(engine.ingest("main", {}).additions.size(), 1U);
  EXPECT_TRUE(engine.validate_models(std::nullopt).entries.empty());

  execute("ALTER TABLE crates DROP COLUMN kg");
  const ValidateResult drifted = engine.validate_models("main");
  ASSERT_EQ(drifted.entries.size(), 1U);
  const ApplyDriftResult applied =
      engine.apply_drift_deletes(drifted.entries, {false, drifted.file_hashes});

  EXPECT_EQ(applied.applied.size(), 1U);
  EXPECT_TRUE(applied.errors.empty());
  EXPECT_TRUE(applied.residual.empty());
  EXPECT_EQ(read("models/main/crates.yml")->find("kg"), std::string::npos);
}

TEST_F(EngineTest, AnswersQueriesAndSaysWhenDriftBrokeOne) {
  Engine engine(folder_.path());
  engine.ingest("main", {});
  execute("INSERT INTO crates VALUES (1, 2.5), (2, 3.5)");
  const QueryInput question{R"({"source_model": "crates", "measures": ["kg:sum"]})"};
  EXPECT_EQ(engine.query(question).columns, std::vector<std::string>{"crates.kg_sum"});
  execute("ALTER TABLE crates DROP COLUMN kg");
  try {
    engine.query(question);
    FAIL() << "a query over a column that is gone was answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::schema_drift);
  }
}

TEST_F(EngineTest, LeavesAFileThatChangedMeanwhile) {
  Engine engine(folder_.path());
  engine.ingest("main", {});
  execute("ALTER TABLE crates DROP COLUMN kg");
  const ValidateResult drifted = engine.validate_models("main");
  const std::string newer = *read("models/main/crates.yml") + "# mine\n";
  write("models/main/crates.yml", newer);

  const ApplyDriftResult applied =
      engine.apply_drift_deletes(drifted.entries, {false, drifted.file_hashes});

  ASSERT_EQ(applied.errors.size(), 1U);
  EXPECT_EQ(applied.errors[0].code, "model_changed");
  EXPECT_EQ(read("models/main/crates.yml"), newer);
  EXPECT_EQ(applied.residual.size(), 1U);
}

TEST_F(EngineTest, ReplaysOneEntryAndThrowsItsError) {
  Engine engine(folder_.path());
  engine.ingest("main", {});
  engine.edit_model({"crates", "main", {{"kg"}, {}, {}, {}}, {}, {}});
  EXPECT_EQ(read("models/main/crates.yml")->find("kg"), std::string::npos);
  try {
    engine.edit_model({"absent", "main", {{"kg"}, {}, {}, {}}, {}, {}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::model_not_found);
  }
  engine.delete_model({"crates", "main", {}});
  EXPECT_FALSE(read("models/main/crates.yml"));
}

TEST_F(EngineTest, RefusesAnUnknownDataSource) {
  const Engine engine(folder_.path());
  try {
    engine.validate_models("mian");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::unknown_data_source);
  }
}

}  // namespace
}  // namespace kedge::models
