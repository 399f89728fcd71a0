#include "migrate/files.h"

#include <gtest/gtest.h>

namespace kedge::migrate {
namespace {

constexpr std::int64_t kNoon = 1'803'988'800'000;  // 2027-03-02 12:00:00 UTC

std::vector<std::string> names(const std::vector<Migration>& chain) {
  std::vector<std::string> found;
  for (const Migration& one : chain) {
    found.push_back(one.name);
  }
  return found;
}
using Names = std::vector<std::string>;

class ChainTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text = "SELECT 1;\n") {
    files_->write("migrations/" + path, text);
  }
  std::vector<Migration> read(Format format = Format::Default) const {
    return read_chain(*files_, "migrations", format);
  }
  std::unique_ptr<base::FileSystem> files_ = base::make_memory_file_system();
};

TEST_F(ChainTest, AMissingFolderIsAnEmptyChain) {
  EXPECT_TRUE(read().empty());
}

TEST_F(ChainTest, BothLayoutsAreReadWhateverTheFormatSays) {
  write("20270101000002-b/up.sql");
  write("20270101000001__a.sql");
  write("20270101000001__a.down.sql", "SELECT 2;\n");
  write("README.md", "no migration");
  write(".failed/20270101000003-c/up.sql");
  for (const Format format : {Format::Default, Format::Flat}) {
    EXPECT_EQ(names(read(format)), (Names{"20270101000001__a", "20270101000002-b"}));
  }
  EXPECT_EQ(read()[0].down, "SELECT 2;\n");
  EXPECT_FALSE(read()[1].down);
}

TEST_F(ChainTest, FlywayReadsItsOwnFilesAlone) {
  write("V2__b.sql");
  write("V1.2__a.sql");
  write("U2__b.sql", "SELECT 3;\n");
  write("20270101000001__no.sql");
  EXPECT_EQ(names(read(Format::Flyway)), (Names{"V1.2__a", "V2__b"}));
  EXPECT_EQ(read(Format::Flyway)[1].down, "SELECT 3;\n");
}

TEST_F(ChainTest, OneParentTwiceIsAFork) {
  for (const char* name : {"20270101000001-a", "20270101000002-b", "20270101000003-c"}) {
    write(std::string(name) + "/up.sql");
  }
  write("20270101000001-a/plan.json", R"({"parent": "p0", "result": "p1"})");
  write("20270101000002-b/plan.json", R"({"parent": "p1", "result": "p2"})");
  write("20270101000003-c/plan.json", R"({"parent": "p1", "result": "p3"})");
  const auto forks = find_forks(read());
  ASSERT_EQ(forks.size(), 1U);
  EXPECT_EQ(forks[0],
            std::make_pair(std::string("20270101000002-b"), std::string("20270101000003-c")));
}

TEST(ChecksumTest, LineEndsDoNotCount) {
  EXPECT_EQ(checksum("a;\r\nb;\r\n"), checksum("a;\nb;\n"));
  EXPECT_NE(checksum("a;\nb;\n"), checksum("a;\nb; \n"));
}

TEST(DirectivesTest, StandAboveTheFirstStatementOnly) {
  const Directives all = read_directives(
      "-- written by hand\n\n-- kedge: transaction off\n-- kedge: lock_timeout 2s\n"
      "--kedge:no-down\nSELECT 1;\n");
  EXPECT_FALSE(all.transaction);
  EXPECT_EQ(all.lock_timeout, "2s");
  EXPECT_TRUE(all.no_down);
  const Directives none = read_directives("SELECT 1;\n-- kedge: transaction off\n");
  EXPECT_TRUE(none.transaction);
  EXPECT_FALSE(none.no_down);
}

TEST(HasStatementsTest, CommentsAreNone) {
  EXPECT_FALSE(has_statements("-- nothing\n/* at /* all */ */\n;", schema::Dialect::Postgres));
  EXPECT_TRUE(has_statements("-- something\nSELECT 1", schema::Dialect::Postgres));
}

TEST(SlugTest, IsLowerCaseShortAndNeverEmpty) {
  EXPECT_EQ(make_slug("Add Draught (m)!"), "add-draught-m");
  EXPECT_EQ(make_slug("--a--b--", '_'), "a_b");
  EXPECT_EQ(make_slug("***"), "migration");
  EXPECT_EQ(make_slug(std::string(200, 'x')).size(), 60U);
  EXPECT_EQ(make_slug(std::string(59, 'x') + " y"), std::string(59, 'x'));
}

NewMigration content(const std::string& slug, const std::string& suffix = "") {
  return {slug, suffix, "SELECT 1;\n", "SELECT 2;\n", "{}"};
}

TEST(NameTest, TheStampIsLaterThanTheLastOfTheChain) {
  Migration last;
  last.name = "20270302120005-later-than-the-clock";
  EXPECT_EQ(name_migration({}, "m", Format::Default, content("Add It"), kNoon, 0).name,
            "20270302120000-add-it");
  EXPECT_EQ(name_migration({last}, "m", Format::Default, content("a"), kNoon, 0).name,
            "20270302120006-a");
  last.name = "20271231235959-end-of-year";
  EXPECT_EQ(name_migration({last}, "m", Format::Flat, content("a"), kNoon, 0).name,
            "20280101000000__a");
}

TEST(NameTest, ASplitMigrationHasConsecutiveStamps) {
  const Migration second =
      name_migration({}, "m", Format::Default, content("wide", "-2-online"), kNoon, 1);
  EXPECT_EQ(second.name, "20270302120001-wide-2-online");
  EXPECT_EQ(second.up_path, "m/20270302120001-wide-2-online/up.sql");
  EXPECT_EQ(second.plan_path, "m/20270302120001-wide-2-online/plan.json");
}

TEST(NameTest, NumbersAreOneAboveTheHighest) {
  std::vector<Migration> chain(3);
  chain[0].name = "V1.2__a";
  chain[1].name = "V10_1__b";
  chain[2].name = "V9__c";
  const Migration flyway = name_migration(chain, "m", Format::Flyway, content("Add It"), kNoon, 0);
  EXPECT_EQ(flyway.up_path, "m/V11__add_it.sql");
  EXPECT_EQ(flyway.down_path, "m/U11__add_it.sql");
  chain.resize(1);
  chain[0].name = "0041_old";
  const Migration d1 = name_migration(chain, "m", Format::D1, content("Add It"), kNoon, 0);
  EXPECT_EQ(d1.up_path, "m/0042_add_it.sql");
  EXPECT_EQ(d1.down_path, "m/.down/0042_add_it.sql");
}

}  // namespace
}  // namespace kedge::migrate
