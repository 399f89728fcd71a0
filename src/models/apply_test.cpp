// Delete entries on files (models.md 11), on the in-memory file system.
#include "models/apply.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/entry_json.h"

namespace kedge::models {
namespace {

const std::string kCrates =
    "name: crates # ours\nsql_table: crates\ncolumns:\n  - {name: id, type: INT}\n"
    "  - {name: kg, type: DOUBLE, allowed_aggregations: [by_kg]}\n"
    "aggregations:\n  - {name: by_kg, formula: 'SUM({value})'}\n"
    "filters: ['kg > 0', 'id > 0', 'kg > 0']\ndefault_time_dimension: id\n";

class ApplyTest : public testing::Test {
 public:
  ApplyTest() { files_->write("/p/models/main/crates.yml", kCrates); }

  ApplyOutcome apply(const std::vector<ToDeleteEntry>& entries,
                     std::map<ModelId, std::string> hashes = {}) {
    return apply_entries(*files_, request(std::move(hashes)), entries);
  }
  static ApplyRequest request(std::map<ModelId, std::string> hashes = {}) {
    return {"/p", {{"main", SqlDialect::Sqlite}}, "stamp", std::move(hashes)};
  }
  std::string crates() const { return files_->read("/p/models/main/crates.yml").value_or(""); }

  std::unique_ptr<base::FileSystem> files_ = base::make_memory_file_system();
};

TEST_F(ApplyTest, RemovesEqualFiltersAndKeepsTheRest) {
  apply({EditModelDelete{"crates", "main", {}, {"kg > 0"}, {}}});
  EXPECT_NE(crates().find("'id > 0'"), std::string::npos);
  EXPECT_EQ(crates().find("kg > 0"), std::string::npos);
  EXPECT_TRUE(crates().starts_with("name: crates # ours\n"));
}

TEST_F(ApplyTest, TakesAnAggregationOutOfWhitelists) {
  apply({EditModelDelete{"crates", "main", {{}, {}, {"by_kg"}, {}}, {}, {}}});
  EXPECT_NE(crates().find("allowed_aggregations: []"), std::string::npos) << crates();
  EXPECT_EQ(crates().find("aggregations:\n"), std::string::npos) << crates();
}

TEST_F(ApplyTest, ClearsTheDefaultTimeDimensionWithItsColumn) {
  apply({EditModelDelete{"crates", "main", {{"id"}, {}, {}, {}}, {}, {}}});
  EXPECT_EQ(crates().find("default_time_dimension"), std::string::npos);
}

TEST_F(ApplyTest, CopiesEachFileAsideFirst) {
  apply({WholeModelDelete{"crates", "main", {}}});
  EXPECT_EQ(crates(), "");
  EXPECT_EQ(files_->read("/p/.kedge/trash/stamp/models/main/crates.yml"), kCrates);
}

TEST_F(ApplyTest, LeavesAChangedFile) {
  const ApplyOutcome outcome =
      apply({WholeModelDelete{"crates", "main", {}}}, {{{"main", "crates"}, "other"}});
  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_EQ(outcome.errors[0].code, "model_changed");
  EXPECT_EQ(crates(), kCrates);
}

TEST_F(ApplyTest, NeverLeavesTheModelsFolder) {
  files_->write("/p/secret.yml", "x");
  const ApplyOutcome outcome =
      apply({WholeModelDelete{"../../secret", "main", {}}, WholeModelDelete{"crates", "..", {}}});
  EXPECT_EQ(files_->read("/p/secret.yml"), "x");
  EXPECT_EQ(crates(), kCrates);
  EXPECT_EQ(outcome.errors.size(), 1U);  // the data source is unknown
}

TEST_F(ApplyTest, KeepsAFileThatDoesNotLoad) {
  files_->write("/p/models/main/bad.yml", "name: [");
  const ApplyOutcome outcome = apply({WholeModelDelete{"bad", "main", {}}});
  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_EQ(outcome.errors[0].code, "invalid_result");
  EXPECT_EQ(files_->read("/p/models/main/bad.yml"), "name: [");
}

TEST_F(ApplyTest, CompletesWhatAnInterruptedRunLeft) {
  files_->write("/p/models/main/depots.yml", "name: depots\nsql_table: depots\n");
  document::Json list = document::Json::array();
  for (const std::string name : {"crates", "depots"}) {
    document::Json item;
    item.set("entry", to_json(ToDeleteEntry(WholeModelDelete{name, "main", {}})));
    item.set("hash", name == "crates" ? content_hash(kCrates) : "of an older text");
    list.push(std::move(item));
  }
  files_->write("/p/.kedge/models-pending.json", document::write_json(list));

  const ApplyOutcome outcome = complete_pending(*files_, request());

  EXPECT_EQ(outcome.applied.size(), 1U);
  EXPECT_EQ(crates(), "");
  EXPECT_TRUE(files_->read("/p/models/main/depots.yml"));
  EXPECT_FALSE(has_pending(*files_, "/p"));
}

TEST(EntryJsonTest, ReadsWhatItWrites) {
  const std::vector<ToDeleteEntry> entries{
      EditModelDelete{
          "a", "main", {{"x"}, {"m"}, {}, {"j"}}, {"f"}, {{"column:x", "column_missing", "gone"}}},
      WholeModelDelete{"b", "main", {}}};
  EXPECT_EQ(read_entries("in.json", document::write_json(to_json(entries))), entries);
}

TEST(EntryJsonTest, RefusesUnknownKeysWithTheirPlace) {
  try {
    read_entries("in.json", "[{\"tool\": \"delete_model\", \"model\": \"a\"}]");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code().name(), "ERR_USAGE");
    EXPECT_TRUE(error.problem().where);
  }
}

}  // namespace
}  // namespace kedge::models
