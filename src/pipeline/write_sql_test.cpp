#include "pipeline/write_sql.h"

#include <gtest/gtest.h>

#include "contracts/type_name.h"

namespace kedge::pipeline {
namespace {

TEST(WriteSqlTest, QuotesForEachSystem) {
  EXPECT_EQ(quote_entity_for(System::Postgres, "a\"b.select"), "\"a\"\"b\".\"select\"");
  EXPECT_EQ(quote_entity_for(System::Mysql, "a`b"), "`a``b`");
  EXPECT_EQ(quote_entity_for(System::SqlServer, "dbo.a]b"), "[dbo].[a]]b]");
}

TEST(WriteSqlTest, CreatesATargetWithItsKeys) {
  EXPECT_EQ(create_table_sql(System::SqlServer, "[t]",
                             {{"id", "bigint", true}, {"note", "nvarchar(max)", false}}, {"id"}),
            "CREATE TABLE [t] ([id] bigint NOT NULL, [note] nvarchar(max), PRIMARY KEY ([id]))");
}

TEST(WriteSqlTest, AltersAsTheSystemSpellsIt) {
  const contracts::Alteration widened{contracts::AlterationKind::Widened, "n", "int", "bigint",
                                      true};
  EXPECT_EQ(alter_sql(System::Postgres, "t", widened),
            "ALTER TABLE t ALTER COLUMN \"n\" TYPE bigint");
  EXPECT_EQ(alter_sql(System::Mysql, "t", widened), "ALTER TABLE t MODIFY COLUMN `n` bigint");
  EXPECT_EQ(alter_sql(System::SqlServer, "t", widened), "ALTER TABLE t ALTER COLUMN [n] bigint");
  contracts::Alteration silent = widened;
  silent.statement = false;
  EXPECT_FALSE(alter_sql(System::Sqlite, "t", silent));
}

TEST(WriteSqlTest, MergesWithoutTouchingWhatTheInputLacks) {
  const TableSql target{System::Postgres, "t", {"id", "note"}, {"id"}};
  EXPECT_EQ(
      merge_sql(target, "s", "").at(0),
      "INSERT INTO t (\"id\", \"note\") SELECT \"id\", \"note\" FROM s WHERE true ON CONFLICT "
      "(\"id\") DO UPDATE SET \"note\" = excluded.\"note\"");
  const TableSql keys_only{System::Sqlite, "t", {"id"}, {"id"}};
  EXPECT_NE(merge_sql(keys_only, "s", "").at(0).find("DO NOTHING"), std::string::npos);
  const TableSql generic{System::SqlServer, "t", {"id"}, {"id"}};
  EXPECT_EQ(merge_sql(generic, "s", "").size(), 2U);
}

TEST(WriteSqlTest, MarksOnlyWhatIsNotMarkedYet) {
  const TableSql target{System::Sqlite, "t", {"id"}, {"id"}};
  EXPECT_EQ(mark_sql(target, "s", DeleteWhere::KeyAbsent, "2027-01-01"),
            "UPDATE t SET \"_kedge_deleted_at\" = '2027-01-01' WHERE \"_kedge_deleted_at\" IS NULL "
            "AND NOT EXISTS (SELECT 1 FROM s AS kedge_side WHERE kedge_side.\"id\" = t.\"id\")");
}

TEST(WriteSqlTest, FindsValuesThatDoNotFit) {
  EXPECT_NE(range_condition(System::Sqlite, "x", contracts::duckdb_type("DOUBLE")), "");
  EXPECT_EQ(range_condition(System::Duckdb, "x", contracts::duckdb_type("HUGEINT")), "");
  EXPECT_NE(range_condition(System::Postgres, "x", contracts::duckdb_type("VARCHAR")), "");
}

}  // namespace
}  // namespace kedge::pipeline
