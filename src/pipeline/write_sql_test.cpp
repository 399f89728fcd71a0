#include "pipeline/write_sql.h"

#include <gtest/gtest.h>

#include "contracts/type_name.h"
#include "db/duckdb/connector.h"

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
  const TableSql generic{System::Generic, "t", {"id"}, {"id"}};
  EXPECT_EQ(merge_sql(generic, "s", "").size(), 2U);
}

TEST(WriteSqlTest, MarksOnlyWhatIsNotMarkedYet) {
  const TableSql target{System::Sqlite, "t", {"id"}, {"id"}};
  EXPECT_EQ(mark_sql(target, "s", DeleteWhere::KeyAbsent, "2027-01-01"),
            "UPDATE t SET \"_kedge_deleted_at\" = '2027-01-01' WHERE \"_kedge_deleted_at\" IS NULL "
            "AND NOT EXISTS (SELECT 1 FROM s AS kedge_side WHERE kedge_side.\"id\" = t.\"id\")");
}

// There is no such server to test with: the statements are checked as text.
TEST(WriteSqlTest, SpeaksTransactSql) {
  const System system = System::SqlServer;
  const TableSql target{system, "[dbo].[t]", {"id", "note]"}, {"id"}};
  const std::string side = quote_for(system, side_name(system));
  EXPECT_EQ(side, "[#_kedge_side]");
  EXPECT_EQ(create_side_sql(target, side),
            "SELECT [id], [note]]] INTO [#_kedge_side] FROM [dbo].[t] WHERE 1 = 0 UNION ALL SELECT "
            "[id], [note]]] FROM [dbo].[t] WHERE 1 = 0");
  EXPECT_EQ(drop_side_sql(system, side), "DROP TABLE IF EXISTS [#_kedge_side]");
  EXPECT_EQ(count_sql(target, side, DeleteWhere::KeyPresent),
            "SELECT count(*) FROM [dbo].[t] WHERE EXISTS (SELECT 1 FROM [#_kedge_side] AS "
            "kedge_side WHERE kedge_side.[id] = [dbo].[t].[id])");
  const std::vector<std::string> merge = merge_sql(target, side, "_kedge_deleted_at");
  ASSERT_EQ(merge.size(), 2U);
  EXPECT_EQ(merge[0],
            "UPDATE [dbo].[t] SET [note]]] = kedge_side.[note]]], [_kedge_deleted_at] = NULL FROM "
            "[#_kedge_side] AS kedge_side WHERE kedge_side.[id] = [dbo].[t].[id]");
  EXPECT_EQ(merge[1],
            "INSERT INTO [dbo].[t] ([id], [note]]]) SELECT kedge_side.[id], kedge_side.[note]]] "
            "FROM [#_kedge_side] AS kedge_side WHERE NOT EXISTS (SELECT 1 FROM [dbo].[t] WHERE "
            "kedge_side.[id] = [dbo].[t].[id])");
  EXPECT_EQ(insert_side_sql(target, side),
            "INSERT INTO [dbo].[t] ([id], [note]]]) SELECT [id], [note]]] FROM [#_kedge_side]");
  EXPECT_EQ(delete_sql(target, side, DeleteWhere::KeyPresent),
            "DELETE FROM [dbo].[t] WHERE EXISTS (SELECT 1 FROM [#_kedge_side] AS kedge_side WHERE "
            "kedge_side.[id] = [dbo].[t].[id])");
  EXPECT_EQ(
      mark_sql(target, side, DeleteWhere::KeyAbsent, "2027-01-01 00:00:00"),
      "UPDATE [dbo].[t] SET [_kedge_deleted_at] = '2027-01-01 00:00:00' WHERE "
      "[_kedge_deleted_at] IS NULL AND NOT EXISTS (SELECT 1 FROM [#_kedge_side] AS kedge_side "
      "WHERE kedge_side.[id] = [dbo].[t].[id])");
  const contracts::Alteration added{contracts::AlterationKind::Added, "new", "", "nvarchar(max)",
                                    true};
  EXPECT_EQ(alter_sql(system, target.table, added),
            "ALTER TABLE [dbo].[t] ADD [new] nvarchar(max)");
}

// Without an index these systems compare every row of a merge with every other.
TEST(WriteSqlTest, IndexesTheSideTableByTheKeys) {
  const TableSql mysql{System::Mysql, "`t`", {"id", "v"}, {"id"}, {"id"}};
  EXPECT_EQ(create_side_sql(mysql, "`s`"),
            "CREATE TEMPORARY TABLE `s` (KEY (`id`)) AS SELECT `id`, `v` FROM `t` LIMIT 0");
  EXPECT_FALSE(index_side_sql(mysql, "`s`"));
  const TableSql sqlite{System::Sqlite, "t", {"id", "v"}, {"id"}, {"id"}};
  EXPECT_EQ(index_side_sql(sqlite, "s"), "CREATE INDEX temp._kedge_side_keys ON s (\"id\")");
  TableSql d1 = sqlite;
  d1.temporary = false;
  EXPECT_EQ(create_side_sql(d1, "\"s\""),
            "CREATE TABLE \"s\" AS SELECT \"id\", \"v\" FROM t WHERE 1 = 0");
  EXPECT_EQ(index_side_sql(d1, "\"s\""), "CREATE INDEX \"s_keys\" ON \"s\" (\"id\")");
  const TableSql plain{System::Sqlite, "t", {"id", "v"}, {"id"}};
  EXPECT_FALSE(index_side_sql(plain, "s"));
}

TEST(WriteSqlTest, FindsValuesThatDoNotFit) {
  EXPECT_NE(range_condition(System::Sqlite, "x", contracts::duckdb_type("DOUBLE")), "");
  EXPECT_EQ(range_condition(System::Duckdb, "x", contracts::duckdb_type("HUGEINT")), "");
  EXPECT_NE(range_condition(System::Postgres, "x", contracts::duckdb_type("VARCHAR")), "");
  EXPECT_NE(range_condition(System::Generic, "x", contracts::duckdb_type("VARCHAR")), "");
  EXPECT_EQ(range_condition(System::SqlServer, "x", contracts::duckdb_type("VARCHAR")), "");
  for (const System system : {System::Generic, System::SqlServer, System::Mysql}) {
    EXPECT_NE(range_condition(system, "x", contracts::duckdb_type("DATE")), "");
    EXPECT_NE(range_condition(system, "x", contracts::duckdb_type("TIMESTAMP")), "");
  }
  EXPECT_NE(range_condition(System::SqlServer, "x", contracts::duckdb_type("DOUBLE")), "");
}

// What SQLite would keep as a DOUBLE that says another number.
TEST(WriteSqlTest, FindsDecimalsThatSqliteWouldRound) {
  const auto duckdb = db::make_duckdb_connector()->connect(
      {"main", "duckdb", {{"path", ":memory:"}}, {}, db::AccessMode::Create});
  const auto is_found = [&](const std::string& value, const std::string& type) {
    const std::string condition =
        range_condition(System::Sqlite, "x", contracts::duckdb_type(type));
    const db::ResultSet rows = duckdb->query("SELECT " + condition + " FROM (SELECT CAST('" +
                                             value + "' AS " + type + ") AS x)");
    return db::to_boolean(rows.rows.at(0).at(0));
  };
  EXPECT_TRUE(is_found(std::string(38, '9'), "DECIMAL(38,0)"));
  EXPECT_TRUE(is_found("-" + std::string(38, '9'), "DECIMAL(38,0)"));
  EXPECT_TRUE(is_found("9223372036854775809", "DECIMAL(38,0)"));
  EXPECT_TRUE(is_found("999999999999999.999", "DECIMAL(18,3)"));
  EXPECT_FALSE(is_found("9223372036854775807", "DECIMAL(38,0)"));
  EXPECT_FALSE(is_found("100000000000000000000", "DECIMAL(38,0)"));
  EXPECT_FALSE(is_found("20.25", "DECIMAL(18,3)"));
}

}  // namespace
}  // namespace kedge::pipeline
