#include "app/check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/connections.h"
#include "servers.h"
#include "tracing_connector.h"

namespace kedge::app {
namespace {

class NoScratch final : public db::ScratchProvider {
 public:
  std::unique_ptr<db::ScratchDatabase> create(schema::Dialect, const db::ScratchOptions&) override {
    return nullptr;
  }
};

// Two sqlite databases; models, metadata and contracts look at both or at one.
class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    write("project.yml",
          "name: yard\nversion: 1.0.0\nmigrate:\n  target: main\n  dialect: sqlite\n"
          "  check: [second]\n");
    const std::string entity =
        "  entities:\n    crates:\n      read:\n        columns:\n          id: bigint\n"
        "          lot: text\n";
    write("connections.yml", "main:\n  connector: sqlite\n  path: main.db\n" + entity +
                                 "second:\n  connector: sqlite\n  path: second.db\n" + entity);
    write("metadata/yard.yml",
          "package: yard\nchildren:\n  - object.entity:\n      name: Crate\n      children:\n"
          "        - source.rdb: {table: crates}\n        - field.long: id\n"
          "        - field.string: lot\n        - identity.primary: {fields: id}\n");
    for (const char* name : {"main", "second"}) {
      write(std::string("models/") + name + "/crates.yml",
            "name: crates\nsql_table: crates\ncolumns:\n  - {name: id, type: INT}\n"
            "  - {name: lot, type: TEXT}\n");
      databases_.connect(settings_of(context_, name, db::AccessMode::Create))
          ->execute("CREATE TABLE crates (id INTEGER PRIMARY KEY NOT NULL, lot TEXT)");
    }
    tracer_ = std::make_shared<test::TracingConnector>(databases_);
    traced_.add("sqlite", tracer_);
  }
  void write(const std::string& name, const std::string& text) {
    files_->write(folder_.path() + "/" + name, text);
  }
  std::size_t catalog_reads() const {
    const std::vector<std::string> texts = tracer_->texts();
    return static_cast<std::size_t>(
        std::count_if(texts.begin(), texts.end(), [](const std::string& text) {
          return text.find("pragma_table_xinfo") != std::string::npos;
        }));
  }
  Context traced() {
    return {folder_.path(), *files_, *clock_, *environment_, *processes_, traced_, scratch_};
  }

  base::TemporaryFolder folder_;
  std::unique_ptr<base::FileSystem> files_ = base::make_file_system();
  std::unique_ptr<base::Clock> clock_ = base::make_clock();
  std::unique_ptr<base::Environment> environment_ = base::make_environment();
  std::unique_ptr<base::ProcessRunner> processes_ = base::make_process_runner();
  db::Registry databases_ = test::make_test_registry();
  db::Registry traced_;
  std::shared_ptr<test::TracingConnector> tracer_;
  NoScratch scratch_;
  Context context_{folder_.path(), *files_,    *clock_, *environment_,
                   *processes_,    databases_, scratch_};
};

CheckRequest only(std::vector<std::string> guards) {
  CheckRequest request;
  request.only = std::move(guards);
  return request;
}

TEST_F(CheckTest, GuardsShareOneIntrospectionOfEachDatabase) {
  Context context = traced();
  const CheckResult result = check(context, only({"models", "metadata", "contracts"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GT(tracer_->opened(), 2U);  // each guard has connections of its own
  EXPECT_EQ(catalog_reads(), 2U);    // main and second
}

TEST_F(CheckTest, SharedShapesGiveTheSameFindings) {
  for (const char* name : {"main", "second"}) {
    databases_.connect(settings_of(context_, name, db::AccessMode::ReadWrite))
        ->execute("ALTER TABLE crates DROP COLUMN lot");
  }
  Context context = traced();
  const CheckResult together = check(context, only({"models", "metadata", "contracts"}));
  std::vector<std::string> alone;
  for (const char* guard : {"models", "metadata", "contracts"}) {
    for (const Finding& finding : check(context, only({guard})).findings) {
      alone.push_back(finding_key(finding));
    }
  }
  std::vector<std::string> keys;
  for (const Finding& finding : together.findings) {
    keys.push_back(finding_key(finding));
  }
  std::sort(alone.begin(), alone.end());
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, alone);
  EXPECT_EQ(keys.size(), 6U);  // each guard in each database
}

TEST_F(CheckTest, ADatabaseThatIsGoneDoesNotHideTheOther) {
  files_->remove(folder_.path() + "/main.db");
  databases_.connect(settings_of(context_, "second", db::AccessMode::ReadWrite))
      ->execute("ALTER TABLE crates DROP COLUMN lot");
  Context context = traced();
  const CheckResult result = check(context, only({"metadata"}));
  EXPECT_EQ(result.exit_code, 2);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].subject.connection, "second");
}

}  // namespace
}  // namespace kedge::app
