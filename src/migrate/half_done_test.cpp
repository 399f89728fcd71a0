#include "migrate/half_done.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;

std::string found(const std::string& sql, Dialect dialect = Dialect::Postgres) {
  const auto index = find_concurrent_index({sql, 1, 1, false}, dialect);
  if (!index) {
    return "none";
  }
  return (index->verb == ConcurrentIndex::Verb::Create ? "create " : "drop ") + index->name + " " +
         index->table;
}

TEST(ConcurrentIndexTest, TheNameAndTheTableAreThoseOfTheStatement) {
  EXPECT_EQ(found("CREATE INDEX CONCURRENTLY t_a ON t (a)"), "create t_a t");
  EXPECT_EQ(found("-- why\ncreate unique index concurrently if not exists \"T a\" on only \"S\".t "
                  "using btree (a)"),
            "create \"T a\" \"S\".t");
  EXPECT_EQ(found("DROP INDEX CONCURRENTLY IF EXISTS s.t_a CASCADE"), "drop s.t_a ");
  EXPECT_EQ(found("CREATE INDEX CONCURRENTLY \"on\" ON t(a)"), "create \"on\" t");
}

TEST(ConcurrentIndexTest, OtherStatementsHaveNone) {
  EXPECT_EQ(found("CREATE INDEX t_a ON t (a)"), "none");
  EXPECT_EQ(found("CREATE INDEX \"concurrently\" ON t (a)"), "none");
  EXPECT_EQ(found("CREATE INDEX CONCURRENTLY ON t (a)"), "none");
  EXPECT_EQ(found("REINDEX INDEX CONCURRENTLY t_a"), "none");
  EXPECT_EQ(found("CREATE INDEX CONCURRENTLY t_a ON t (a)", Dialect::Sqlite), "none");
  EXPECT_EQ(found(""), "none");
}

TEST(CommitsOnItsWayTest, WhatMayHaveDoneSomethingWhenItFails) {
  const auto commits = [](const std::string& sql, Dialect dialect) {
    return commits_on_its_way({sql, 1, 1, false}, dialect);
  };
  EXPECT_TRUE(commits("DO $$ BEGIN UPDATE t SET a = 1; COMMIT; END $$", Dialect::Postgres));
  EXPECT_TRUE(commits("CALL fill()", Dialect::Postgres));
  EXPECT_TRUE(commits("CALL fill()", Dialect::Mysql));
  EXPECT_TRUE(commits("DROP TABLE a, b", Dialect::Mysql));
  EXPECT_FALSE(commits("DROP TABLE `a,b`", Dialect::Mysql));
  EXPECT_FALSE(commits("DROP TABLE a, b", Dialect::Postgres));
  EXPECT_FALSE(commits("DO $$ BEGIN UPDATE t SET a = 1; END $$", Dialect::Postgres));
  EXPECT_FALSE(commits("CREATE TABLE commit_log (a INT)", Dialect::Postgres));
  EXPECT_FALSE(commits("DROP TABLE a, b", Dialect::Sqlite));
}

TEST(HasItsEffectTest, OnlyWhatTheStatementItselfMakesOrDrops) {
  const auto has = [](const std::string& sql, const char* code, const char* words,
                      Dialect dialect) {
    const db::DatabaseError error(Problem{codes::ERR_APPLY_FAILED, "failed", {}, "", {{words, {}}}},
                                  db::FailureClass::Schema, code);
    return has_its_effect({sql, 1, 1, false}, error, dialect);
  };
  EXPECT_TRUE(has("CREATE TABLE t (a INT)", "1050", "Table 't' already exists", Dialect::Mysql));
  EXPECT_TRUE(has("DROP TABLE t", "1051", "Unknown table 'd.t'", Dialect::Mysql));
  EXPECT_TRUE(has("ALTER TABLE t ADD COLUMN a INT", "1060", "Duplicate column", Dialect::Mysql));
  EXPECT_TRUE(has("ALTER TABLE a RENAME TO b", "", "no such table: a", Dialect::Sqlite));
  EXPECT_TRUE(has("ALTER TABLE a RENAME TO b", "", "table b already exists", Dialect::Sqlite));
  EXPECT_TRUE(
      has("CREATE TABLE t (a int)", "42P07", "Relation »t« existiert bereits", Dialect::Postgres));
  EXPECT_TRUE(has("COMMENT ON TABLE t IS 'a'", "42P01", "", Dialect::Postgres));
  // What it needs is not there: it has not run.
  EXPECT_FALSE(
      has("CREATE VIEW v AS SELECT a FROM t", "1146", "Table 'd.t' doesn't exist", Dialect::Mysql));
  EXPECT_FALSE(has("CREATE VIEW v AS SELECT a FROM t", "", "no such table: t", Dialect::Sqlite));
  EXPECT_FALSE(has("ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (a)", "42P01",
                   "relation \"u\" does not exist", Dialect::Postgres));
  EXPECT_FALSE(has("DROP TABLE t", "1050", "Table 't' already exists", Dialect::Mysql));
  EXPECT_FALSE(has("DROP TABLE t", "2BP01", "other objects depend on it", Dialect::Postgres));
  EXPECT_TRUE(has("ALTER TABLE t ADD a INT, DROP b", "1091", "Can't DROP 'b'", Dialect::Mysql));
}

}  // namespace
}  // namespace kedge::migrate
