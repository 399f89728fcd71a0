#include <gtest/gtest.h>

#include "dialect/dialect.h"

namespace kedge::dialect {
namespace {

using schema::Dialect;

TEST(NamesTest, QuotesAlwaysAndDoublesTheMark) {
  EXPECT_EQ(get_dialect(Dialect::Postgres).quote(Identifier("a\"b")), "\"a\"\"b\"");
  EXPECT_EQ(get_dialect(Dialect::Sqlite).quote(Identifier("order")), "\"order\"");
  EXPECT_EQ(get_dialect(Dialect::Mysql).quote(Identifier("a`b")), "`a``b`");
  EXPECT_EQ(quote_name(get_dialect(Dialect::Duckdb), {Identifier("s"), Identifier("t")}),
            "\"s\".\"t\"");
  EXPECT_EQ(quote_name(get_dialect(Dialect::Duckdb), {{}, Identifier("t")}), "\"t\"");
}

TEST(NamesTest, LiteralsDoubleWhatTheEngineWouldRead) {
  EXPECT_EQ(get_dialect(Dialect::Postgres).literal("it's \\"), "'it''s \\'");
  EXPECT_EQ(get_dialect(Dialect::Mysql).literal("it's \\"), "'it''s \\\\'");
}

// The table of spec/models.md 3.2.
TEST(NamesTest, ComparisonFollowsTheDialect) {
  struct Row {
    Dialect dialect;
    const char* live;
    const char* written;
    bool quoted;
    bool same;
  };
  const Row rows[] = {
      {Dialect::Sqlite, "Name", "nAME", false, true},
      {Dialect::Sqlite, "Name", "nAME", true, true},
      {Dialect::Duckdb, "Name", "NAME", true, true},
      {Dialect::Mysql, "Name", "NAME", true, true},
      {Dialect::D1, "Name", "NAME", false, true},
      {Dialect::Postgres, "name", "NAME", false, true},
      {Dialect::Postgres, "name", "NAME", true, false},
      {Dialect::Postgres, "Name", "Name", true, true},
      {Dialect::Postgres, "Name", "name", false, false},
      {Dialect::Ansi, "NAME", "name", false, true},
      {Dialect::Ansi, "NAME", "name", true, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(get_dialect(row.dialect).same_name(row.live, row.written, row.quoted), row.same)
        << schema::to_string(row.dialect) << " " << row.live << " " << row.written;
  }
}

TEST(NamesTest, D1SharesTheDialectOfSqlite) {
  EXPECT_EQ(&get_dialect(Dialect::D1), &get_dialect(Dialect::Sqlite));
}

TEST(NamesTest, TablesOfToolsAreBookkeeping) {
  for (const char* name : {"_kedge_migrations", "flyway_schema_history", "_litestream_seq",
                           "_cf_KV", "sqlite_sequence", "sqlite_stat1"}) {
    EXPECT_TRUE(schema::is_bookkeeping(name)) << name;
  }
  for (const char* name : {"vessels", "schema_migrations_old", "my_sqlite_sequence", ""}) {
    EXPECT_FALSE(schema::is_bookkeeping(name)) << name;
  }
}

}  // namespace
}  // namespace kedge::dialect
