#include "migrate/half_done.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kedge::migrate
