#include "app/history.h"

#include <gtest/gtest.h>

#include <map>

#include "kedge/codes.h"
#include "kedge/error.h"

namespace kedge::app {
namespace {

class MemoryHistory final : public HistoryStore {
 public:
  std::vector<HistoryEntry> entries(const std::string& source) override {
    std::vector<HistoryEntry> result;
    for (const HistoryEntry& entry : entries_) {
      if (source.empty() || entry.source == source) {
        result.push_back(entry);
      }
    }
    return result;
  }
  void add(const HistoryEntry& entry, const std::string& snapshot) override {
    entries_.push_back(entry);
    snapshots_[entry.fingerprint] = snapshot;
  }
  std::string snapshot(const std::string& fingerprint) override {
    return snapshots_.at(fingerprint);
  }
  std::size_t stored() const { return snapshots_.size(); }

 private:
  std::vector<HistoryEntry> entries_;
  std::map<std::string, std::string> snapshots_;
};

schema::Schema shape_with(const std::vector<std::string>& columns) {
  schema::Schema shape;
  shape.engine.dialect = schema::Dialect::Sqlite;
  schema::Table table;
  table.name.name = Identifier("crates");
  for (const std::string& name : columns) {
    schema::Column column;
    column.name = Identifier(name);
    column.type.kind = schema::TypeKind::Text;
    table.columns.push_back(column);
  }
  shape.tables.push_back(table);
  schema::normalise(shape);
  return shape;
}

TEST(History, AnUnchangedShapeIsStoredOnce) {
  MemoryHistory store;
  EXPECT_TRUE(record(store, "main", shape_with({"a"}), 1).changed);
  EXPECT_FALSE(record(store, "main", shape_with({"a"}), 2).changed);
  EXPECT_TRUE(record(store, "main", shape_with({"a", "b"}), 3).changed);
  EXPECT_EQ(store.stored(), 2U);
  EXPECT_EQ(history_log(store, {"main", "", true}).size(), 2U);
  EXPECT_EQ(history_log(store, {"main", "", false}).size(), 3U);
}

TEST(History, SaysWhenAColumnAppearedAndWent) {
  MemoryHistory store;
  record(store, "main", shape_with({"a"}), 1);
  record(store, "main", shape_with({"a", "kg"}), 2);
  record(store, "main", shape_with({"a"}), 3);
  const std::vector<LogRow> rows = history_log(store, {"main", "crates.kg", true});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].entry.time, 2);
  EXPECT_EQ(kind_of(rows[0].changes.at(0)), "add-column");
  EXPECT_EQ(kind_of(rows[1].changes.at(0)), "drop-column");
  EXPECT_EQ(history_log(store, {"main", "crates.a", true}).at(0).entry.time, 1);
}

TEST(History, OfASourceThatWasNeverRecorded) {
  MemoryHistory store;
  EXPECT_TRUE(history_log(store, {"", "", true}).empty());
  record(store, "main", shape_with({"a"}), 1);
  try {
    history_log(store, {"mian", "", true});
    FAIL() << "an empty answer looks like no change";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_SOURCE);
    EXPECT_NE(error.problem().message.find("did you mean 'main'"), std::string::npos);
  }
}

TEST(History, FindsTheEntryOfADate) {
  MemoryHistory store;
  record(store, "main", shape_with({"a"}), 100);
  record(store, "main", shape_with({"b"}), 200);
  EXPECT_EQ(find_entry(store, "main", 150)->time, 100);
  EXPECT_EQ(find_entry(store, "main", 200)->time, 200);
  EXPECT_EQ(find_entry(store, "main", 99), std::nullopt);
}

TEST(Dates, ADayMeansItsEndAndNonsenseIsRefused) {
  EXPECT_EQ(parse_date("1970-01-01"), 86'399'999);
  EXPECT_EQ(parse_date("2027-03-14T08:15:02.117Z"), 1805012102117);
  EXPECT_EQ(parse_date("2024-02-29T00:00:00Z"), 1709164800000);
  for (const char* bad : {"", "2027", "2027-13-01", "2023-02-29", "2027-03-14T25:00:00Z",
                          "2027-03-14T08:15:02+01:00", "14.03.2027"}) {
    EXPECT_THROW(parse_date(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace kedge::app
