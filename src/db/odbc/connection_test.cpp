#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/file_system.h"
#include "db/bulk.h"
#include "db/catalog.h"
#include "db/odbc/connector.h"
#include "db/odbc/errors.h"
#include "db/odbc/text.h"
#include "db/sqlite/connector.h"
#include "failure.h"
#include "servers.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

ConnectionSettings odbc(const std::string& text, AccessMode access) {
  ConnectionSettings settings;
  settings.name = "other";
  settings.connector = "odbc";
  settings.options["connection_string"] = text;
  settings.access = access;
  return settings;
}

class OdbcSqliteTest : public testing::Test {
 protected:
  OdbcSqliteTest() : text_("Driver=SQLite3;Database=" + folder_.path() + "/x.db") {
    writer_ = make_odbc_connector()->connect(odbc(text_, AccessMode::ReadWrite));
  }
  std::unique_ptr<Connection> reader() const {
    return make_odbc_connector()->connect(odbc(text_, AccessMode::ReadOnly));
  }
  base::TemporaryFolder folder_;
  std::string text_;
  std::unique_ptr<Connection> writer_;
};

class OdbcPostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_ = test::PostgresServer::shared().database();
    native_ = test::ScratchServer::connect(settings_);
    text_ = "Driver=PostgreSQL Unicode;Servername=" + settings_.options.at("host") +
            ";Port=5432;Database=" + settings_.options.at("database") + ";UID=kedge;BoolsAsChar=0";
    writer_ = make_odbc_connector()->connect(odbc(text_, AccessMode::ReadWrite));
  }
  std::unique_ptr<Connection> reader() const {
    return make_odbc_connector()->connect(odbc(text_, AccessMode::ReadOnly));
  }
  ConnectionSettings settings_;
  std::unique_ptr<Connection> native_;
  std::string text_;
  std::unique_ptr<Connection> writer_;
};

TEST_F(OdbcSqliteTest, BindsReadsAndCounts) {
  writer_->execute("CREATE TABLE t (a INTEGER, b DOUBLE, c TEXT, d BLOB)");
  const std::vector<Value> row = {std::int64_t{-7}, 0.25, "hä\xF0\x9F\x9A\xA2'fen",
                                  Bytes{std::byte{1}, std::byte{0}}};
  EXPECT_EQ(writer_->query("INSERT INTO t VALUES (?, ?, ?, ?)", row).affected, 1);
  EXPECT_EQ(writer_->query("SELECT * FROM t").rows.at(0), Row(row));
  EXPECT_EQ(writer_->engine().product, "SQLite");
}

TEST_F(OdbcSqliteTest, WritesChunks) {
  writer_->execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c DOUBLE)");
  Chunk chunk;
  chunk.rows = 2;
  chunk.columns.resize(2);
  chunk.columns[0].start(TypeKind::Int64);
  chunk.columns[1].start(TypeKind::Text);
  for (const char* text : {"x", "y"}) {
    chunk.columns[0].add_integer(text[0]);
    chunk.columns[1].add_bytes(text);
  }
  const BulkTarget target{{Identifier(), Identifier("t")}, {"a", "b"}};
  { open_writer(*writer_, target)->write(chunk); }
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
  const auto writer = open_writer(*writer_, target);
  writer->write(chunk);
  EXPECT_EQ(writer->finish(), 2);
  EXPECT_EQ(to_text(writer_->query("SELECT group_concat(b) FROM t").rows.at(0).at(0)), "x,y");
  EXPECT_THROW(open_writer(*reader(), target), Error);
}

TEST_F(OdbcSqliteTest, ReadsLongTexts) {
  const ResultSet set = writer_->query("SELECT replace(hex(zeroblob(50000)), '00', 'xy') AS a");
  EXPECT_EQ(to_text(set.rows.at(0).at(0)).size(), 100000U);
}

TEST_F(OdbcSqliteTest, ReadsTheCatalog) {
  writer_->execute("CREATE TABLE p (id INTEGER PRIMARY KEY, code VARCHAR(12) NOT NULL)");
  writer_->execute("CREATE UNIQUE INDEX p_code ON p (code)");
  writer_->execute(
      "CREATE TABLE c (a INTEGER, b INTEGER, p INTEGER REFERENCES p (id) ON DELETE CASCADE, "
      "PRIMARY KEY (a, b))");
  writer_->execute("CREATE VIEW v AS SELECT code FROM p");
  const auto connection = reader();

  const schema::Schema shape = find_catalog(*connection)->read_catalog({});

  ASSERT_EQ(shape.tables.size(), 2U);
  const schema::Table& child = shape.tables[0];
  EXPECT_EQ(child.name.name.text(), "c");
  EXPECT_EQ(child.primary_key->columns,
            (std::vector<Identifier>{Identifier("a"), Identifier("b")}));
  ASSERT_EQ(child.foreign_keys.size(), 1U);
  EXPECT_EQ(child.foreign_keys[0].referenced_table.name.text(), "p");
  EXPECT_EQ(child.foreign_keys[0].on_delete, schema::ReferentialAction::Cascade);
  const schema::Table& parent = shape.tables[1];
  EXPECT_FALSE(parent.columns[1].nullable);
  EXPECT_EQ(parent.columns[1].type.kind, TypeKind::Text);
  EXPECT_EQ(parent.columns[1].type.length, 12);
  ASSERT_EQ(parent.indexes.size(), 1U);
  EXPECT_TRUE(parent.indexes[0].unique);
  ASSERT_EQ(shape.views.size(), 1U);
  EXPECT_EQ(shape.views[0].columns.at(0).name.text(), "code");
}

TEST_F(OdbcSqliteTest, CannotWriteOnAReadOnlyConnection) {
  writer_->execute("CREATE TABLE t (a INTEGER)");
  auto connection = reader();
  for (const char* sql :
       {"INSERT INTO t VALUES (1)", "SELECT 1; INSERT INTO t VALUES (1)", "DROP TABLE t", "COMMIT",
        "WITH x AS (SELECT 1 AS n) INSERT INTO t SELECT n FROM x"}) {
    try {
      connection->query(sql);
    } catch (const Error&) {
    }
    try {
      connection->execute(sql);
    } catch (const Error&) {
    }
  }
  connection.reset();
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
}

TEST_F(OdbcSqliteTest, ClassifiesRealErrors) {
  writer_->execute("CREATE TABLE t (a INTEGER PRIMARY KEY)");
  writer_->execute("INSERT INTO t VALUES (1)");
  const auto of = [&](const char* sql) {
    return failure_of([&] { writer_->query(sql); }).failure();
  };
  EXPECT_EQ(of("SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELEC 1"), FailureClass::Schema);
  EXPECT_EQ(of("INSERT INTO t VALUES (1)"), FailureClass::Data);
}

TEST_F(OdbcPostgresTest, ReadsValuesAndTypes) {
  native_->execute(
      "CREATE TABLE t (a boolean, b bigint, c double precision, d numeric(10,2), e varchar(20), f "
      "date, g timestamp, h uuid, i bytea)");
  native_->execute(
      "INSERT INTO t VALUES (true, -7, 0.25, 1.50, 'häfen', '2027-03-14', '2027-03-14 08:15:02.5', "
      "'eeccb8c5-9943-b2bb-bb5e-222f4e14b687', '\\x00ff')");
  const ResultSet set = reader()->query("SELECT * FROM t");
  const Row& row = set.rows.at(0);
  EXPECT_EQ(row.at(0), Value(true));
  EXPECT_EQ(row.at(1), Value(std::int64_t{-7}));
  EXPECT_EQ(row.at(2), Value(0.25));
  EXPECT_EQ(row.at(3), Value("1.50"));
  EXPECT_EQ(row.at(4), Value("häfen"));
  EXPECT_EQ(row.at(5), Value("2027-03-14"));
  EXPECT_EQ(row.at(8), Value(Bytes{std::byte{0}, std::byte{255}}));
  EXPECT_EQ(set.columns.at(3).type.kind, TypeKind::Numeric);
  EXPECT_EQ(set.columns.at(3).type.scale, 2);
  EXPECT_EQ(set.columns.at(6).type.kind, TypeKind::Timestamp);
}

TEST_F(OdbcPostgresTest, ReadsTheCatalogWithSchemas) {
  native_->execute(
      "CREATE SCHEMA dock; CREATE TABLE dock.berth (id int PRIMARY KEY, name varchar(30)); CREATE "
      "TABLE ship (id bigint PRIMARY KEY, b int REFERENCES dock.berth ON DELETE SET NULL, c text "
      "DEFAULT 'x'); CREATE INDEX ship_b ON ship (b DESC); CREATE VIEW v AS SELECT id FROM ship");
  const auto connection = reader();

  const schema::Schema shape = find_catalog(*connection)->read_catalog({});

  EXPECT_EQ(shape.default_schema.text(), "public");
  const schema::Table* ship = find_table(shape, {Identifier(), Identifier("ship")});
  const schema::Table* berth = find_table(shape, {Identifier("dock"), Identifier("berth")});
  ASSERT_NE(ship, nullptr);
  ASSERT_NE(berth, nullptr);
  EXPECT_EQ(ship->primary_key->columns.at(0).text(), "id");
  ASSERT_EQ(ship->foreign_keys.size(), 1U);
  EXPECT_EQ(ship->foreign_keys[0].referenced_table, berth->name);
  EXPECT_EQ(ship->foreign_keys[0].on_delete, schema::ReferentialAction::SetNull);
  ASSERT_EQ(ship->indexes.size(), 1U);
  EXPECT_EQ(ship->indexes[0].name.text(), "ship_b");
  EXPECT_EQ(berth->columns.at(1).type.length, 30);
  EXPECT_EQ(shape.views.size(), 1U);

  CatalogScope scope;
  scope.wanted = [](const schema::Name& name) { return name.name.text() == "berth"; };
  EXPECT_EQ(find_catalog(*connection)->read_catalog(scope).tables.size(), 1U);
}

TEST_F(OdbcPostgresTest, CannotWriteOnAReadOnlyConnection) {
  native_->execute(
      "CREATE TABLE t (a int); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'INSERT INTO t "
      "VALUES "
      "(1) RETURNING a'");
  const auto connection = reader();
  for (const char* sql :
       {"INSERT INTO t VALUES (1)", "SELECT f()",
        "SELECT 1; COMMIT; INSERT INTO t VALUES (1); COMMIT",
        "WITH w AS (INSERT INTO t VALUES (1) RETURNING a) SELECT * FROM w", "COMMIT"}) {
    try {
      connection->query(sql);
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(to_text(native_->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
}

TEST_F(OdbcPostgresTest, StopsAndCancels) {
  ExecuteOptions options;
  options.timeout_seconds = 0.3;
  EXPECT_EQ(failure_of([&] { writer_->query("SELECT pg_sleep(20)", {}, options); }).failure(),
            FailureClass::Timeout);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    writer_->cancel();
  });
  EXPECT_EQ(failure_of([&] { writer_->query("SELECT pg_sleep(20)"); }).failure(),
            FailureClass::Cancelled);
  other.join();
}

TEST_F(OdbcPostgresTest, ClassifiesRealErrors) {
  native_->execute(
      "CREATE TABLE t (a int); DO $$ BEGIN CREATE ROLE odbc_visitor LOGIN; EXCEPTION WHEN "
      "duplicate_object THEN NULL; END $$");
  const auto of = [&](Connection& connection, const char* sql) {
    return failure_of([&] { connection.query(sql); }).failure();
  };
  EXPECT_EQ(of(*writer_, "SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of(*writer_, "SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of(*writer_, "SELECT 1/0"), FailureClass::Data);
  std::string text = text_;
  text.replace(text.find("UID=kedge"), 9, "UID=odbc_visitor");
  const auto visitor = make_odbc_connector()->connect(odbc(text, AccessMode::ReadWrite));
  EXPECT_EQ(of(*visitor, "SELECT * FROM t"), FailureClass::Permission);
}

TEST(OdbcConnectTest, NeverTellsThePassword) {
  auto settings = *parse_url(
      "odbc:Driver=PostgreSQL Unicode;Servername=127.0.0.1;Port=1;Database=x;UID=me;PWD=Kiel-81");
  const auto error = failure_of([&] { make_odbc_connector()->connect(settings); });
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_EQ((error.what() + error.driver_message()).find("Kiel-81"), std::string::npos);
}

TEST(OdbcConnectTest, ReportsADriverThatIsNotThere) {
  const auto error = failure_of(
      [] { make_odbc_connector()->connect(odbc("Driver=Nothing Like It", AccessMode::ReadOnly)); });
  EXPECT_EQ(error.code(), codes::ERR_CONNECT);
  EXPECT_EQ(error.failure(), FailureClass::Connection);
}

TEST(OdbcErrorsTest, LetsTheProductsNumbersDecide) {
  const auto of = [](const char* dialect, const char* state, int number) {
    return odbc::classify(dialect, {state, number, ""});
  };
  for (const int number : {207, 208, 102}) {
    EXPECT_EQ(of("sqlserver", "42000", number), FailureClass::Schema);
  }
  EXPECT_EQ(of("sqlserver", "42000", 229), FailureClass::Permission);
  EXPECT_EQ(of("sqlserver", "42000", 8134), FailureClass::Other);
  for (const int number : {47, 60, 62}) {
    EXPECT_EQ(of("clickhouse", "HY000", number), FailureClass::Schema);
  }
  EXPECT_EQ(of("generic", "42S02", 0), FailureClass::Schema);
  EXPECT_EQ(of("generic", "42501", 0), FailureClass::Permission);
  EXPECT_EQ(of("generic", "HYT00", 0), FailureClass::Timeout);
  EXPECT_EQ(odbc::classify("snowflake", {"HY000", 0, "SQL compilation error: x"}),
            FailureClass::Schema);
}

TEST(OdbcTextTest, CarriesEveryPlane) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x9A\xA2";
  const odbc::Wide wide = odbc::to_wide(text);
  EXPECT_EQ(wide.size(), 5U);
  EXPECT_EQ(odbc::to_utf8(wide.data(), wide.size()), text);
  const odbc::Wide broken = odbc::to_wide("\xC3(\xFF");
  EXPECT_EQ(odbc::to_utf8(broken.data(), broken.size()), "\xEF\xBF\xBD(\xEF\xBF\xBD");
}

}  // namespace
}  // namespace kedge::db
