// The scenario "everything": each dialect's script, loaded into a real server, must give the shape
// of the golden snapshot, read back equal, and take a number of statements that does not depend on
// the number of tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/file_system.h"
#include "dialect/dialect.h"
#include "schema/snapshot.h"
#include "servers.h"
#include "tracing_connection.h"

namespace kedge::dialect {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string data_path(const std::string& dialect, const std::string& name) {
  return std::string(KEDGE_TEST_DATA) + "/" + dialect + "/" + name;
}

// Versions differ from machine to machine.
schema::Schema without_version(schema::Schema schema) {
  schema.engine.version.clear();
  schema.engine.major = 0;
  for (schema::DefinedObject& object : schema.objects) {
    object.options.erase("version");
  }
  return schema;
}

void expect_golden(const std::string& dialect, const schema::Schema& schema) {
  const std::string path = data_path(dialect, "everything.json");
  const std::string text = schema::write_snapshot(without_version(schema));
  if (std::getenv("KEDGE_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(text, read_file(path)) << "golden: " << path;
  EXPECT_EQ(schema::read_snapshot(path, read_file(path)), without_version(schema));
}

schema::Schema introspect(db::Connection& connection, const IntrospectScope& scope = {}) {
  return get_dialect(connection.dialect()).introspect(connection, scope);
}

std::size_t statements_for(db::Connection& connection) {
  test::TracingConnection traced(connection);
  introspect(traced);
  return traced.statements();
}

void add_tables(db::Connection& connection, int from, int to, const std::string& columns) {
  std::string script = "BEGIN;";
  for (int i = from; i < to; ++i) {
    script += "CREATE TABLE t" + std::to_string(i) + " (" + columns + ");";
    script += "CREATE INDEX i" + std::to_string(i) + " ON t" + std::to_string(i) + " (b);";
  }
  connection.execute(script + "COMMIT;");
}

TEST(PostgresIntrospectTest, EverythingIsTheGoldenShape) {
  const auto connection = test::PostgresServer::shared().connect();
  connection->execute(read_file(data_path("postgres", "everything.sql")));
  IntrospectScope scope;
  scope.privileges = true;
  expect_golden("postgres", introspect(*connection, scope));
}

TEST(PostgresIntrospectTest, StatementsDoNotGrowWithTheTables) {
  const auto connection = test::PostgresServer::shared().connect();
  add_tables(*connection, 0, 10, "a integer PRIMARY KEY, b text");
  const std::size_t few = statements_for(*connection);
  add_tables(*connection, 10, 1000, "a integer PRIMARY KEY, b text");
  EXPECT_EQ(statements_for(*connection), few);
  EXPECT_LE(few, 12U);
}

// A file database of its own, gone with this object.
class FileDatabase {
 public:
  explicit FileDatabase(std::string connector)
      : connection_(test::ScratchServer::connect(settings(std::move(connector)))) {}
  db::Connection& connection() { return *connection_; }

 private:
  db::ConnectionSettings settings(std::string connector) const {
    db::ConnectionSettings made;
    made.name = "test";
    made.connector = std::move(connector);
    made.options["path"] = base::join_path(folder_.path(), "test.db");
    made.access = db::AccessMode::Create;
    return made;
  }

  base::TemporaryFolder folder_;
  std::unique_ptr<db::Connection> connection_;
};

TEST(SqliteIntrospectTest, EverythingIsTheGoldenShape) {
  FileDatabase database("sqlite");
  database.connection().execute(read_file(data_path("sqlite", "everything.sql")));
  expect_golden("sqlite", introspect(database.connection()));
}

TEST(SqliteIntrospectTest, StatementsDoNotGrowWithTheTables) {
  FileDatabase database("sqlite");
  add_tables(database.connection(), 0, 10, "a integer PRIMARY KEY, b text");
  const std::size_t few = statements_for(database.connection());
  add_tables(database.connection(), 10, 1000, "a integer PRIMARY KEY, b text");
  EXPECT_EQ(statements_for(database.connection()), few);
}

TEST(SqliteIntrospectTest, AViewOverAMissingTableDoesNotHideTheRest) {
  FileDatabase database("sqlite");
  database.connection().execute(
      "CREATE TABLE a (x); CREATE VIEW good AS SELECT x FROM a; CREATE TABLE b (y);"
      "CREATE VIEW bad AS SELECT y FROM b; DROP TABLE b;");
  const schema::Schema schema = introspect(database.connection());
  ASSERT_EQ(schema.views.size(), 2U);
  EXPECT_EQ(schema.views[1].columns.size(), 1U);
  ASSERT_EQ(schema.unmodelled.size(), 1U);
  EXPECT_EQ(schema.unmodelled[0].kind, "view that cannot be read");
}

TEST(DuckdbIntrospectTest, EverythingIsTheGoldenShape) {
  FileDatabase database("duckdb");
  database.connection().execute(read_file(data_path("duckdb", "everything.sql")));
  expect_golden("duckdb", introspect(database.connection()));
}

TEST(DuckdbIntrospectTest, StatementsDoNotGrowWithTheTables) {
  FileDatabase database("duckdb");
  add_tables(database.connection(), 0, 10, "a integer PRIMARY KEY, b text");
  const std::size_t few = statements_for(database.connection());
  add_tables(database.connection(), 10, 1000, "a integer PRIMARY KEY, b text");
  EXPECT_EQ(statements_for(database.connection()), few);
}

TEST(MariadbIntrospectTest, EverythingIsTheGoldenShape) {
  const auto connection = test::MariadbServer::shared().connect();
  connection->execute(read_file(data_path("mysql", "everything.sql")));
  schema::Schema schema = introspect(*connection);
  schema.default_schema = Identifier("everything");  // the scratch database has a random name
  expect_golden("mysql", schema);
}

TEST(MariadbIntrospectTest, StatementsDoNotGrowWithTheTables) {
  // What a period is has to be asked of each table.
  const std::string columns =
      "a integer PRIMARY KEY, b integer, s date, e date, PERIOD FOR p (s, e)";
  const auto connection = test::MariadbServer::shared().connect();
  add_tables(*connection, 0, 10, columns);
  const std::size_t few = statements_for(*connection);
  add_tables(*connection, 10, 1000, columns);
  EXPECT_EQ(statements_for(*connection), few);
}

}  // namespace
}  // namespace kedge::dialect
