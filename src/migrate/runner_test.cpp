// The ledger and the runs over it, on sqlite. What needs other engines or a program that is killed
// is in tests/migrate.
#include "migrate/runner.h"

#include <gtest/gtest.h>

#include "db/sqlite/connector.h"
#include "kedge/codes.h"

namespace kedge::migrate {
namespace {

class StillClock final : public base::Clock {
 public:
  std::int64_t now_milliseconds() const override { return 1'803'988'800'123; }
  std::int64_t monotonic_milliseconds() const override { return 0; }
};

Migration migration(const std::string& name, const std::string& up, const std::string& down) {
  Migration made;
  made.name = name;
  made.up = up;
  made.down = down.empty() ? std::nullopt : std::optional(down);
  made.up_path = "m/" + name + "/up.sql";
  made.down_path = "m/" + name + "/down.sql";
  made.checksum = checksum(up);
  return made;
}

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() : ledger_(*connection_, {}, clock_) {}

  std::unique_ptr<db::Connection> open() const {
    db::ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "sqlite";
    settings.options["path"] = folder_.path() + "/x.db";
    settings.access = db::AccessMode::Create;
    return db::make_sqlite_connector()->connect(settings);
  }
  bool has(const std::string& table) {
    return !connection_->query("SELECT 1 FROM sqlite_master WHERE name = '" + table + "'")
                .rows.empty();
  }
  std::vector<std::string> recorded() {
    std::vector<std::string> names;
    for (const LedgerRow& row : ledger_.read()) {
      names.push_back(row.name + " " + row.status);
    }
    return names;
  }
  Code refusal(const std::function<void()>& run) {
    try {
      run();
    } catch (const Error& error) {
      return error.code();
    }
    return {};
  }

  base::TemporaryFolder folder_;
  std::unique_ptr<db::Connection> connection_ = open();
  StillClock clock_;
  Ledger ledger_;
  RunOptions options_;
  const Migration a_ = migration("1-a", "CREATE TABLE a (n INTEGER);", "DROP TABLE a;");
  const Migration b_ = migration("2-b", "CREATE TABLE b (n INTEGER);", "DROP TABLE b;");
  const Migration bad_ =
      migration("3-bad", "CREATE TABLE c (n INTEGER);\nDROP TABLE nowhere;", "DROP TABLE c;");
};
using Lines = std::vector<std::string>;

TEST_F(RunnerTest, ReadingCreatesNothing) {
  EXPECT_TRUE(ledger_.read().empty());
  EXPECT_FALSE(has("_kedge_migrations"));
}

TEST_F(RunnerTest, AppliesInOrderOnceAndRecordsWhen) {
  EXPECT_EQ(apply_pending(ledger_, {a_, b_}, options_).done, (Lines{"1-a", "2-b"}));
  EXPECT_TRUE(apply_pending(ledger_, {a_, b_}, options_).done.empty());
  const std::vector<LedgerRow> rows = ledger_.read();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].applied_at, "2027-03-02T12:00:00.123Z");
  EXPECT_EQ(rows[0].checksum, a_.checksum);
  EXPECT_EQ(rows[0].statements_done, 1);
  EXPECT_TRUE(rows[0].is_whole());
}

TEST_F(RunnerTest, AFailingMigrationLeavesNothingAndEarlierOnesStay) {
  const RunResult run = apply_pending(ledger_, {a_, bad_}, options_);
  EXPECT_EQ(run.done, Lines{"1-a"});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->code, codes::ERR_APPLY_FAILED);
  EXPECT_NE(run.failure->message.find("statement 2 (line 2)"), std::string::npos)
      << run.failure->message;
  EXPECT_FALSE(has("c"));
  EXPECT_EQ(recorded(), Lines{"1-a applied"});
}

TEST_F(RunnerTest, WhatDoesNotFitTheLedgerIsRefusedBeforeAnythingRuns) {
  apply_pending(ledger_, {b_}, options_);
  Migration edited = b_;
  edited.checksum = checksum("something else");
  const Migration late = migration("3-late", "CREATE TABLE late (n INTEGER);", "");
  EXPECT_EQ(refusal([&] {
              apply_pending(ledger_, {edited, late}, options_);
            }),
            codes::ERR_MIGRATION_EDITED);
  EXPECT_EQ(refusal([&] { apply_pending(ledger_, {late}, options_); }),
            codes::ERR_MIGRATION_MISSING);
  EXPECT_EQ(refusal([&] { apply_pending(ledger_, {a_, b_}, options_); }), codes::ERR_OUT_OF_ORDER);
  EXPECT_FALSE(has("late"));
  EXPECT_FALSE(has("a"));
  options_.missing = MissingRule::Ignore;
  EXPECT_EQ(apply_pending(ledger_, {late}, options_).done, Lines{"3-late"});
  options_.order = OrderRule::Allow;
  EXPECT_EQ(apply_pending(ledger_, {a_, b_, late}, options_).done, Lines{"1-a"});
}

TEST_F(RunnerTest, RollsBackToATargetNewestFirst) {
  const Migration c = migration("3-c", "CREATE TABLE c (n INTEGER);", "DROP TABLE c;");
  apply_pending(ledger_, {a_, b_, c}, options_);
  EXPECT_EQ(refusal([&] {
              roll_back(ledger_, {a_, b_, c}, "9-no", options_);
            }),
            codes::ERR_ROLLBACK_TARGET);
  EXPECT_EQ(roll_back(ledger_, {a_, b_, c}, "1-a", options_).done, (Lines{"3-c", "2-b"}));
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_EQ(roll_back(ledger_, {a_, b_, c}, "", options_).done, Lines{"1-a"});
  EXPECT_TRUE(recorded().empty());
}

TEST_F(RunnerTest, ADownWithoutStatementsStopsTheWholeRollback) {
  for (const char* down : {"", "-- nothing\n", "-- kedge: no-down\nDROP TABLE a;"}) {
    const Migration stays = migration("1-a", "CREATE TABLE a (n INTEGER);", down);
    apply_pending(ledger_, {stays, b_}, options_);
    EXPECT_EQ(refusal([&] {
                roll_back(ledger_, {stays, b_}, "", options_);
              }),
              codes::ERR_ROLLBACK_NO_DOWN)
        << down;
    EXPECT_EQ(recorded(), (Lines{"1-a applied", "2-b applied"}));
    roll_back(ledger_, {a_, b_}, "", options_);
  }
}

TEST_F(RunnerTest, AFailingDownStaysRecorded) {
  const Migration stuck =
      migration("1-a", "CREATE TABLE a (n INTEGER);", "DROP TABLE a;\nDROP TABLE nowhere;");
  apply_pending(ledger_, {stuck}, options_);
  const RunResult run = roll_back(ledger_, {stuck}, "", options_);
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->code, codes::ERR_ROLLBACK_FAILED);
  EXPECT_TRUE(has("a"));
  EXPECT_EQ(recorded(), Lines{"1-a applied"});
}

TEST_F(RunnerTest, WithoutATransactionAStopIsCountedAndResumed) {
  const Migration open = migration(
      "1-open", "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\nDROP TABLE later;", "");
  const RunResult run = apply_pending(ledger_, {open}, options_);
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(recorded(), Lines{"1-open failed"});
  EXPECT_EQ(ledger_.read()[0].statements_done, 1);
  EXPECT_EQ(refusal([&] { apply_pending(ledger_, {open}, options_); }), codes::ERR_HALF_APPLIED);
  connection_->execute("CREATE TABLE later (n INTEGER)");
  EXPECT_EQ(resume(ledger_, {open}, "1-open", options_).done, Lines{"1-open"});
  EXPECT_EQ(recorded(), Lines{"1-open applied"});
  EXPECT_EQ(refusal([&] { resume(ledger_, {open}, "1-open", options_); }),
            codes::ERR_ROLLBACK_TARGET);
}

// Spec 12.5: a rollback is a way out of half applied; it undoes what was done, and nothing else.
TEST_F(RunnerTest, WhatIsHalfAppliedIsUndoneAsFarAsItCame) {
  connection_->execute("CREATE TABLE theirs (n INTEGER)");
  Migration half = migration("1-half",
                             "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\n"
                             "CREATE TABLE theirs (n INTEGER);\nCREATE TABLE c (n INTEGER);",
                             "DROP TABLE c;\nDROP TABLE theirs;\nDROP TABLE a;");
  half.undoes = {{3}, {2}, {1}};
  ASSERT_TRUE(apply_pending(ledger_, {half}, options_).failure);
  EXPECT_EQ(roll_back(ledger_, {half}, "", options_).done, Lines{"1-half"});
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("theirs"));
  EXPECT_TRUE(recorded().empty());
}

TEST_F(RunnerTest, WhatDidNothingIsForgottenWithoutRunningItsDown) {
  connection_->execute("CREATE TABLE theirs (n INTEGER)");
  const Migration none =
      migration("1-none", "-- kedge: transaction off\nCREATE TABLE theirs (n INTEGER);",
                "DROP TABLE theirs;");
  ASSERT_TRUE(apply_pending(ledger_, {none}, options_).failure);
  EXPECT_EQ(roll_back(ledger_, {none}, "", options_).done, Lines{"1-none"});
  EXPECT_TRUE(has("theirs"));
}

TEST_F(RunnerTest, AFailedRollbackOfTheHalfAppliedLeavesItThat) {
  const Migration half = migration(
      "1-half", "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\nDROP TABLE later;",
      "INSERT INTO a VALUES (1, 2);\nDROP TABLE a;");
  apply_pending(ledger_, {half}, options_);
  EXPECT_TRUE(roll_back(ledger_, {half}, "", options_).failure);
  EXPECT_EQ(recorded(), Lines{"1-half failed"});
  EXPECT_EQ(ledger_.read()[0].statements_done, 1);
  EXPECT_EQ(ledger_.read()[0].half_done, std::nullopt);
}

TEST_F(RunnerTest, AStoppedRollbackOfTheHalfAppliedGoesOnAsSuch) {
  Migration half = migration("1-half",
                             "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\n"
                             "DROP TABLE later;\nCREATE TABLE c (n INTEGER);",
                             "DROP TABLE a;\nINSERT INTO mine VALUES (1, 2);\nDROP TABLE c;");
  half.undoes = {{1}, {}, {3}};
  connection_->execute("CREATE TABLE mine (n INTEGER)");
  apply_pending(ledger_, {half}, options_);
  EXPECT_TRUE(roll_back(ledger_, {half}, "", options_).failure);
  EXPECT_EQ(ledger_.read()[0].half_done, 1);
  EXPECT_EQ(recorded(), Lines{"1-half undo failed"});
  connection_->execute("ALTER TABLE mine ADD COLUMN m INTEGER");
  connection_->execute("CREATE TABLE c (n INTEGER)");
  EXPECT_EQ(resume(ledger_, {half}, "1-half", options_).done, Lines{"1-half"});
  EXPECT_TRUE(has("c"));
}

// What was marked as applied is whole: no statement of its way back is left out.
TEST_F(RunnerTest, WhatIsMarkedAppliedIsUndoneWhole) {
  Migration half = migration("1-half",
                             "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\n"
                             "DROP TABLE later;\nCREATE TABLE c (n INTEGER);",
                             "-- kedge: transaction off\nDROP TABLE a;\n"
                             "INSERT INTO mine VALUES (1, 2);\nDROP TABLE c;");
  half.undoes = {{1}, {}, {3}};
  connection_->execute("CREATE TABLE mine (n INTEGER)");
  apply_pending(ledger_, {half}, options_);
  EXPECT_TRUE(roll_back(ledger_, {half}, "", options_).failure);
  connection_->execute("ALTER TABLE mine ADD COLUMN m INTEGER");
  connection_->execute("CREATE TABLE a (n INTEGER)");
  connection_->execute("CREATE TABLE c (n INTEGER)");
  mark(ledger_, {half}, "1-half", Mark::Applied);
  EXPECT_EQ(ledger_.read()[0].half_done, std::nullopt);
  EXPECT_EQ(roll_back(ledger_, {half}, "", options_).done, Lines{"1-half"});
  EXPECT_FALSE(has("a"));
  EXPECT_FALSE(has("c"));
}

TEST_F(RunnerTest, ThePartsOfOneMigrationAreUndoneTogether) {
  const Migration start =
      migration("20270101000001-a", "CREATE TABLE a (n INTEGER);", "DROP TABLE a;");
  const Migration one = migration("20270101000002-x-1-prepare", "CREATE TABLE p (n INTEGER);",
                                  "DROP TABLE q;\nDROP TABLE p;");
  const Migration two = migration("20270101000003-x-2-online", "CREATE TABLE q (n INTEGER);",
                                  "-- NOTE: undone together with x-1-prepare\n");
  const std::vector<Migration> chain = {start, one, two};
  apply_pending(ledger_, chain, options_);
  EXPECT_EQ(refusal([&] { roll_back(ledger_, chain, one.name, options_); }),
            codes::ERR_ROLLBACK_TARGET);
  EXPECT_TRUE(has("q"));
  EXPECT_EQ(roll_back(ledger_, chain, start.name, options_).done, (Lines{two.name, one.name}));
  EXPECT_EQ(recorded(), Lines{start.name + " applied"});
  EXPECT_FALSE(has("p"));
}

TEST_F(RunnerTest, ThePartsOfOneMigrationAreUndoneFromBetweenThem) {
  const Migration start =
      migration("20270101000001-a", "CREATE TABLE a (n INTEGER);", "DROP TABLE a;");
  Migration one = migration("20270101000002-x-1-prepare", "CREATE TABLE p (n INTEGER);",
                            "DROP TABLE r;\nDROP TABLE q;\nDROP TABLE p;");
  const Migration two =
      migration("20270101000003-x-2-online",
                "-- kedge: transaction off\nCREATE TABLE q (n INTEGER);\nDROP TABLE later;",
                "-- NOTE: undone together with x-1-prepare\n");
  const Migration three = migration("20270101000004-x-3-finish", "CREATE TABLE r (n INTEGER);",
                                    "-- NOTE: undone together with x-1-prepare\n");
  const Lines half = {start.name + " applied", one.name + " applied", two.name + " failed"};
  apply_pending(ledger_, {start, one, two, three}, options_);
  EXPECT_EQ(recorded(), half);
  one.down = "DROP NOTHING;\nDROP TABLE p;";  // undoes nothing: all stays what it was
  EXPECT_TRUE(roll_back(ledger_, {start, one, two, three}, start.name, options_).failure);
  EXPECT_EQ(recorded(), half);
  one.down = "DROP TABLE r;\nDROP TABLE q;\nDROP TABLE p;";
  EXPECT_EQ(roll_back(ledger_, {start, one, two, three}, start.name, options_).done,
            (Lines{two.name, one.name}));
  EXPECT_EQ(recorded(), Lines{start.name + " applied"});
  EXPECT_FALSE(has("p"));
  EXPECT_FALSE(has("q"));
  apply_pending(ledger_, {start, one}, options_);  // the others are pending
  EXPECT_EQ(roll_back(ledger_, {start, one, two, three}, start.name, options_).done,
            Lines{one.name});
  EXPECT_FALSE(has("p"));
}

// The parts are recorded as long as their way back is not at its end: none is pending meanwhile.
TEST_F(RunnerTest, PartsThatGoBackTogetherAreForgottenTogether) {
  const Migration one = migration("20270101000002-x-1-prepare", "CREATE TABLE p (n INTEGER);",
                                  "-- kedge: transaction off\nDROP TABLE q;\nDROP TABLE later;\n"
                                  "DROP TABLE p;");
  const Migration two = migration("20270101000003-x-2-online", "CREATE TABLE q (n INTEGER);",
                                  "-- NOTE: undone together with x-1-prepare\n");
  const std::vector<Migration> chain = {one, two};
  const Lines whole = {one.name + " applied", two.name + " applied"};
  apply_pending(ledger_, chain, options_);
  connection_->execute("ALTER TABLE q RENAME TO elsewhere");
  EXPECT_TRUE(roll_back(ledger_, chain, "", options_).failure);  // nothing is undone
  EXPECT_EQ(recorded(), whole);
  EXPECT_EQ(ledger_.read()[0].statements_done, 1);
  EXPECT_TRUE(apply_pending(ledger_, chain, options_).done.empty());
  connection_->execute("ALTER TABLE elsewhere RENAME TO q");
  EXPECT_TRUE(roll_back(ledger_, chain, "", options_).failure);  // after the first statement
  EXPECT_EQ(recorded(), (Lines{one.name + " undo failed", two.name + " applied"}));
  EXPECT_EQ(refusal([&] { apply_pending(ledger_, chain, options_); }), codes::ERR_HALF_APPLIED);
  EXPECT_EQ(refusal([&] { roll_back(ledger_, chain, "", options_); }), codes::ERR_HALF_APPLIED);
  connection_->execute("CREATE TABLE later (n INTEGER)");
  EXPECT_FALSE(resume(ledger_, chain, one.name, options_).failure);
  EXPECT_TRUE(recorded().empty());
  EXPECT_FALSE(has("p"));
  apply_pending(ledger_, chain, options_);
  EXPECT_TRUE(roll_back(ledger_, chain, "", options_).failure);
  mark(ledger_, chain, one.name, Mark::None);
  EXPECT_TRUE(recorded().empty());
}

TEST_F(RunnerTest, APartGoesNoFurtherWhileAllAreTakenBack) {
  const Migration one = migration("20270101000002-x-1-prepare", "CREATE TABLE p (n INTEGER);",
                                  "DROP TABLE p;\nINSERT INTO nowhere VALUES (1);");
  const Migration two =
      migration("20270101000003-x-2-online",
                "-- kedge: transaction off\nCREATE TABLE q (n INTEGER);\nDROP TABLE later;",
                "-- NOTE: undone together with x-1-prepare\n");
  const std::vector<Migration> chain = {one, two};
  connection_->execute("CREATE TABLE nowhere (n INTEGER, m INTEGER)");
  apply_pending(ledger_, chain, options_);
  EXPECT_TRUE(roll_back(ledger_, chain, "", options_).failure);
  EXPECT_EQ(recorded(), (Lines{one.name + " undo failed", two.name + " failed"}));
  EXPECT_EQ(refusal([&] { resume(ledger_, chain, two.name, options_); }), codes::ERR_HALF_APPLIED);
}

// Cut off on the way there, it may have done one more; a rollback that undoes nothing keeps that.
TEST_F(RunnerTest, AFailedRollbackKeepsThatAStatementMayHaveRun) {
  const Migration cut = migration(
      "1-cut",
      "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\nCREATE TABLE b (n INTEGER);",
      "INSERT INTO a VALUES (1, 2);\nDROP TABLE b;\nDROP TABLE a;");
  ledger_.ensure();
  ledger_.insert({cut.name, "t", cut.checksum, 0, kRunning, 1});
  connection_->execute("CREATE TABLE a (n INTEGER)");
  connection_->execute("CREATE TABLE b (n INTEGER)");
  EXPECT_TRUE(roll_back(ledger_, {cut}, "", options_).failure);
  EXPECT_EQ(recorded(), Lines{"1-cut running"});
  EXPECT_EQ(resume(ledger_, {cut}, "1-cut", options_).done, Lines{"1-cut"});
}

TEST_F(RunnerTest, AHandRepairIsMarked) {
  const Migration open = migration(
      "1-open", "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\nDROP TABLE later;", "");
  apply_pending(ledger_, {open}, options_);
  mark(ledger_, {open}, "1-open", Mark::Applied);
  EXPECT_EQ(recorded(), Lines{"1-open applied"});
  EXPECT_EQ(ledger_.read()[0].statements_done, 2);
  connection_->execute("DELETE FROM _kedge_migrations");
  connection_->execute("DROP TABLE a");
  apply_pending(ledger_, {open}, options_);
  mark(ledger_, {open}, "1-open", Mark::None);
  EXPECT_TRUE(recorded().empty());
}

TEST_F(RunnerTest, ARowThatBreaksAKeyFailsTheRebuild) {
  connection_->execute("PRAGMA foreign_keys = ON");
  apply_pending(ledger_,
                {migration("1-a",
                           "CREATE TABLE p (id INTEGER PRIMARY KEY);\nCREATE TABLE c (p INTEGER "
                           "REFERENCES p (id));\nINSERT INTO p VALUES (1);\nINSERT INTO c VALUES "
                           "(1);",
                           "")},
                options_);
  const Migration breaks = migration("2-b",
                                     "PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\nDELETE FROM "
                                     "p;\nPRAGMA foreign_key_check(c);\nCOMMIT;\nPRAGMA "
                                     "foreign_keys = ON;",
                                     "");
  options_.missing = MissingRule::Ignore;
  const RunResult run = apply_pending(ledger_, {breaks}, options_);
  ASSERT_TRUE(run.failure);
  EXPECT_NE(run.failure->message.find("that does not exist"), std::string::npos)
      << run.failure->message;
  EXPECT_EQ(connection_->query("SELECT * FROM p").rows.size(), 1U);
  EXPECT_TRUE(db::to_boolean(connection_->query("PRAGMA foreign_keys").rows[0][0]));
}

TEST_F(RunnerTest, AnotherToolsTableOfThreeColumnsIsTakenOver) {
  connection_->execute(
      "CREATE TABLE theirs (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL, checksum TEXT NOT "
      "NULL)");
  connection_->execute("INSERT INTO theirs VALUES ('1-a', '2026-01-01', '" + a_.checksum + "')");
  LedgerSettings settings;
  settings.table = "theirs";
  Ledger theirs(*connection_, settings, clock_);
  EXPECT_TRUE(theirs.read().at(0).is_whole());
  EXPECT_EQ(apply_pending(theirs, {a_, b_}, options_).done, Lines{"2-b"});
  EXPECT_EQ(theirs.read().at(1).statements_done, 1);
  EXPECT_EQ(theirs.read().at(0).status, "applied");
}

// No word of the ledger is longer than its column, which other engines hold it to.
TEST_F(RunnerTest, EveryCountFitsTheLedger) {
  ledger_.ensure();
  LedgerRow row{"1-a", "t", "x"};
  row.status = kUndoFailed;
  row.half_done = 1'000'000'000'000;
  ledger_.insert({"1-a", "t", "x"});
  ledger_.update(row);
  EXPECT_EQ(ledger_.read()[0].half_done, row.half_done);
  EXPECT_EQ(ledger_.read()[0].status, kUndoFailed);
  EXPECT_LE(
      db::to_integer(connection_->query("SELECT length(status) FROM _kedge_migrations").rows[0][0]),
      16);
}

// A ledger of an earlier kedge has no such count; a rollback makes room for it.
TEST_F(RunnerTest, ARollbackAddsWhatTheLedgerLacks) {
  connection_->execute(
      "CREATE TABLE _kedge_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL, checksum "
      "TEXT NOT NULL, duration_ms BIGINT, status VARCHAR(16), statements_done BIGINT, "
      "tool_version VARCHAR(32))");
  const Migration half = migration(
      "1-half", "-- kedge: transaction off\nCREATE TABLE a (n INTEGER);\nDROP TABLE later;",
      "DROP TABLE a;");
  ledger_.insert({half.name, "t", half.checksum, 0, kFailed, 1});
  connection_->execute("CREATE TABLE a (n INTEGER)");
  EXPECT_EQ(roll_back(ledger_, {half}, "", options_).done, Lines{"1-half"});
  EXPECT_FALSE(has("a"));
}

TEST(LedgerSettingsTest, NamesArePlain) {
  for (const char* name : {"a b", "a\"b", "1a", "a-b", "a;b"}) {
    LedgerSettings settings;
    settings.table = name;
    EXPECT_THROW(check_ledger_settings(settings), Error) << name;
  }
  EXPECT_NO_THROW(check_ledger_settings({"audit", "_kedge_migrations", "", 0}));
}

TEST(LockKeyTest, IsTheStartOfTheHashOfTheName) {
  EXPECT_NE(lock_key("public._kedge_migrations"), lock_key("public._other"));
  EXPECT_EQ(lock_key("a"), static_cast<std::int64_t>(0xca978112ca1bbdcaULL));
}

TEST(CompareChainTest, EachStateHasItsName) {
  std::vector<Migration> chain;
  for (const char* name : {"1-there", "2-late", "3-edited", "5-begun", "6-stopped", "7-going back",
                           "8-stopped there", "9-new"}) {
    chain.push_back(migration(name, std::string(name) + ";", ""));
  }
  std::vector<LedgerRow> rows;
  const auto add = [&](const std::string& name, const char* status) {
    LedgerRow row{name, "t", "x"};
    row.status = status;
    rows.push_back(row);
  };
  add("1-there", kApplied);
  rows.back().checksum = chain[0].checksum;
  add("3-edited", kApplied);
  add("4-gone", kApplied);
  add("5-begun", kRunning);
  add("6-stopped", kFailed);
  add("7-going back", kUndoing);
  add("8-stopped there", kUndoFailed);
  std::vector<std::string> lines;
  for (const ChainEntry& entry : compare_chain(chain, rows)) {
    lines.push_back(entry.name + ": " + to_string(entry.state));
  }
  EXPECT_EQ(lines, (Lines{"1-there: applied", "2-late: out of order", "3-edited: edited",
                          "4-gone: missing", "5-begun: running", "6-stopped: failed",
                          "7-going back: rolling back", "8-stopped there: rolling back",
                          "9-new: pending"}));
}

}  // namespace
}  // namespace kedge::migrate
