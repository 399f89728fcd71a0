#include "app/connections.h"

#include <gtest/gtest.h>

#include <map>

#include "app/model_project.h"
#include "kedge/codes.h"
#include "servers.h"

namespace kedge::app {
namespace {

class FixedEnvironment final : public base::Environment {
 public:
  std::optional<std::string> get(const std::string& name) const override {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::string random_hex(std::size_t digits) override { return std::string(digits, 'a'); }
  std::map<std::string, std::string> values;
};

class NoScratch final : public db::ScratchProvider {
 public:
  std::unique_ptr<db::ScratchDatabase> create(schema::Dialect, const db::ScratchOptions&) override {
    return nullptr;
  }
};

class ConnectionsTest : public testing::Test {
 protected:
  ConnectionsTest() {
    files_->write(folder_.path() + "/connections.yml",
                  "main:\n"
                  "  connector: sqlite\n"
                  "  path: data/x.db\n"
                  "  entities: {t: {}}\n"
                  "far:\n"
                  "  connector: postgres\n"
                  "  host: 127.0.0.1\n"
                  "  port: 1\n"
                  "  database: d\n"
                  "  user: u\n"
                  "  password: ${FAR_PASSWORD}\n");
    environment_.values["FAR_PASSWORD"] = "Kiel-90";
    files_->make_folder(folder_.path() + "/data");
    db::ConnectionSettings settings = settings_of(context_, "main", db::AccessMode::Create);
    registry_.connect(settings)->execute("CREATE TABLE t (a)");
  }
  base::TemporaryFolder folder_;
  std::unique_ptr<base::FileSystem> files_ = base::make_file_system();
  std::unique_ptr<base::Clock> clock_ = base::make_clock();
  FixedEnvironment environment_;
  std::unique_ptr<base::ProcessRunner> processes_ = base::make_process_runner();
  db::Registry registry_ = test::make_test_registry();
  NoScratch scratch_;
  Context context_{folder_.path(), *files_,   *clock_, environment_,
                   *processes_,    registry_, scratch_};
};

TEST_F(ConnectionsTest, GivesTheSettingsOfADeclaredConnection) {
  const auto settings = settings_of(context_, "far", db::AccessMode::ReadOnly);
  EXPECT_EQ(settings.name, "far");
  EXPECT_EQ(settings.options.at("password"), "Kiel-90");
  EXPECT_EQ(settings.options.at("command_timeout_seconds"), "30");
  ASSERT_FALSE(settings.secrets.empty());
  EXPECT_FALSE(settings_of(context_, "far", db::AccessMode::ReadWrite)
                   .options.contains("command_timeout_seconds"));
}

TEST_F(ConnectionsTest, QueriesOfModelsHaveTheSameTimeLimit) {
  const ModelProject project = open_model_project(context_);
  EXPECT_EQ(project.sources.at("far").settings.options.at("command_timeout_seconds"), "30");
  EXPECT_EQ(project.sources.at("main").settings.options.at("command_timeout_seconds"), "30");
}

TEST_F(ConnectionsTest, AnchorsRelativeFilesInTheProject) {
  EXPECT_EQ(settings_of(context_, "main", db::AccessMode::ReadOnly).options.at("path"),
            folder_.path() + "/data/x.db");
  EXPECT_EQ(settings_of(context_, "sqlite:y.db", db::AccessMode::ReadOnly).options.at("path"),
            folder_.path() + "/y.db");
  EXPECT_EQ(settings_of(context_, "duckdb::memory:", db::AccessMode::ReadOnly).options.at("path"),
            ":memory:");
  EXPECT_EQ(settings_of(context_, "d1:DB", db::AccessMode::ReadOnly).options.at("folder"),
            folder_.path());
}

TEST_F(ConnectionsTest, SuggestsTheNearestName) {
  try {
    settings_of(context_, "mian", db::AccessMode::ReadOnly);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_SOURCE);
    EXPECT_NE(std::string(error.what()).find("did you mean 'main'"), std::string::npos);
  }
}

TEST_F(ConnectionsTest, ListsWithoutSecrets) {
  const auto listed = list_connections(context_);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].name, "main");
  EXPECT_EQ(listed[0].entities, 1U);
  EXPECT_EQ(listed[1].where, "127.0.0.1:1/d");
}

TEST_F(ConnectionsTest, TestsEachAndGoesOn) {
  const auto tested = test_connections(context_, {});
  ASSERT_EQ(tested.size(), 2U);
  EXPECT_EQ(tested[0].engine->product, "SQLite");
  ASSERT_TRUE(tested[1].problem);
  EXPECT_EQ(tested[1].problem->code, codes::ERR_CONNECT);
  for (const Note& note : tested[1].problem->notes) {
    EXPECT_EQ(note.text.find("Kiel-90"), std::string::npos);
  }
}

TEST_F(ConnectionsTest, MakesNothingWhileTesting) {
  const auto tested = test_connections(context_, {"sqlite:none.db", "duckdb:none.duckdb"});
  EXPECT_TRUE(tested[0].problem && tested[1].problem);
  EXPECT_FALSE(files_->kind(folder_.path() + "/none.db"));
  EXPECT_FALSE(files_->kind(folder_.path() + "/none.duckdb"));
}

}  // namespace
}  // namespace kedge::app
