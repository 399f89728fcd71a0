// What introspection looks at, and what it leaves as it found it.
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "dialect/dialect.h"
#include "servers.h"
#include "tracing_connection.h"

namespace kedge::dialect {
namespace {

schema::Schema introspect(db::Connection& connection, const IntrospectScope& scope = {}) {
  return get_dialect(connection.dialect()).introspect(connection, scope);
}

std::vector<std::string> names_of(const schema::Schema& schema) {
  std::vector<std::string> names;
  for (const schema::Table& table : schema.tables) {
    names.push_back(schema::to_string(table.name));
  }
  return names;
}

std::string first_value(db::Connection& connection, const std::string& sql) {
  return db::to_text(connection.query(sql).rows.at(0).at(0));
}

// vessel <- log, harbour.berth, a view, a function
std::unique_ptr<db::Connection> small_postgres() {
  auto connection = test::PostgresServer::shared().connect();
  connection->execute(
      "CREATE SCHEMA harbour; CREATE TABLE vessel (id integer PRIMARY KEY, name text);"
      "CREATE TABLE harbour.berth (no integer, vessel_id integer REFERENCES vessel);"
      "CREATE TABLE log_a (vessel_id integer REFERENCES vessel (id));"
      "CREATE TABLE logxa (a integer); CREATE SEQUENCE other;"
      "CREATE VIEW v AS SELECT id FROM vessel;"
      "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1';");
  return connection;
}

TEST(IntrospectScopeTest, TablesAreExactNamesOrGlobsAndUnderscoreIsNoWildcard) {
  const auto connection = small_postgres();
  IntrospectScope scope;
  scope.tables = {"log_*", "harbour.*"};
  EXPECT_EQ(names_of(introspect(*connection, scope)),
            (std::vector<std::string>{"log_a", "harbour.berth"}));
}

TEST(IntrospectScopeTest, AForeignKeyOutOfTheScopeStillNamesItsTarget) {
  const auto connection = small_postgres();
  IntrospectScope scope;
  scope.tables = {"log_a"};
  const schema::Schema schema = introspect(*connection, scope);
  ASSERT_EQ(schema.tables.size(), 1U);
  const schema::ForeignKey& key = schema.tables[0].foreign_keys.at(0);
  EXPECT_EQ(schema::to_string(key.referenced_table), "vessel");
  EXPECT_EQ(key.referenced_columns, std::vector<Identifier>{Identifier("id")});
  EXPECT_TRUE(schema.objects.empty());
  EXPECT_TRUE(schema.sequences.empty());
}

TEST(IntrospectScopeTest, ASchemaThatDoesNotExistIsEmptyNotAnError) {
  const auto connection = small_postgres();
  IntrospectScope scope;
  scope.schemas = {"nowhere"};
  const schema::Schema schema = introspect(*connection, scope);
  EXPECT_TRUE(schema.tables.empty());
  EXPECT_TRUE(schema.views.empty());
}

TEST(IntrospectScopeTest, WithoutDefinitionsTheShapeOfTablesIsAllThere) {
  const auto connection = small_postgres();
  IntrospectScope scope;
  scope.definitions = false;
  const schema::Schema schema = introspect(*connection, scope);
  EXPECT_EQ(schema.tables.size(), 4U);
  EXPECT_EQ(schema.views.size(), 1U);
  EXPECT_TRUE(schema.objects.empty());
}

TEST(IntrospectScopeTest, ACallersTransactionKeepsItsSearchPathAndStaysOpen) {
  const auto connection = small_postgres();
  connection->begin();
  connection->execute("SET LOCAL search_path TO harbour, public");
  const schema::Schema schema = introspect(*connection);
  EXPECT_EQ(schema.default_schema.text(), "harbour");
  EXPECT_TRUE(connection->in_transaction());
  EXPECT_EQ(first_value(*connection, "SHOW search_path"), "harbour, public");
  connection->rollback();
}

TEST(IntrospectScopeTest, ReadingLeavesNoTransactionAndNoChange) {
  const auto connection = small_postgres();
  const std::string before = first_value(*connection, "SHOW search_path");
  introspect(*connection);
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(first_value(*connection, "SHOW search_path"), before);
}

TEST(IntrospectScopeTest, TheDefaultSchemaHasNoNameInTheResult) {
  const auto connection = small_postgres();
  const schema::Schema schema = introspect(*connection);
  EXPECT_EQ(schema.default_schema.text(), "public");
  EXPECT_NE(schema::find_table(schema, {{}, Identifier("vessel")}), nullptr);
  EXPECT_NE(schema::find_table(schema, {Identifier("harbour"), Identifier("berth")}), nullptr);
  EXPECT_EQ(schema.namespaces.size(), 1U);
}

// Two different servers' view of one thing must not differ by what only one of them adds.
TEST(IntrospectScopeTest, NumbersThatAServerKeepsForItselfAreNoPartOfAColumn) {
  const auto connection = small_postgres();
  for (const schema::Table& table : introspect(*connection).tables) {
    for (const schema::Column& column : table.columns) {
      EXPECT_TRUE(column.options.empty()) << table.name.name.text() << "." << column.name.text();
    }
  }
}

TEST(IntrospectScopeTest, SqliteScopesTablesWithTheirTriggers) {
  const base::TemporaryFolder folder;
  db::ConnectionSettings settings;
  settings.name = "test";
  settings.connector = "sqlite";
  settings.options["path"] = base::join_path(folder.path(), "a.db");
  settings.access = db::AccessMode::Create;
  const auto connection = test::ScratchServer::connect(settings);
  connection->execute(
      "CREATE TABLE a (x); CREATE TABLE b (x); CREATE TRIGGER ta AFTER INSERT ON a BEGIN SELECT 1; "
      "END; CREATE TRIGGER tb AFTER INSERT ON b BEGIN SELECT 1; END;");
  IntrospectScope scope;
  scope.tables = {"a"};
  const schema::Schema schema = introspect(*connection, scope);
  EXPECT_EQ(names_of(schema), std::vector<std::string>{"a"});
  ASSERT_EQ(schema.objects.size(), 1U);
  EXPECT_EQ(schema.objects[0].name.name.text(), "ta");
}

}  // namespace
}  // namespace kedge::dialect
