#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_system.h"
#include "db/duckdb/connector.h"
#include "db/duckdb/errors.h"
#include "failure.h"

namespace kedge::db {
namespace {

namespace fs = std::filesystem;
using schema::TypeKind;
using test::failure_of;

class DuckdbTest : public testing::Test {
 protected:
  std::unique_ptr<Connection> open(AccessMode access, const std::string& name = "x.duckdb") const {
    ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "duckdb";
    settings.options["path"] = name == ":memory:" ? name : path(name);
    settings.access = access;
    return make_duckdb_connector()->connect(settings);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string one(Connection& connection, const std::string& sql) const {
    return to_text(connection.query(sql).rows.at(0).at(0));
  }
  base::TemporaryFolder folder_;
};

TEST_F(DuckdbTest, MakesAFileOnlyWhenAsked) {
  for (const AccessMode access : {AccessMode::ReadOnly, AccessMode::ReadWrite}) {
    EXPECT_EQ(failure_of([&] { open(access); }).failure(), FailureClass::Connection);
    EXPECT_FALSE(fs::exists(path("x.duckdb")));
  }
  EXPECT_EQ(failure_of([&] { open(AccessMode::Create, "no/x.duckdb"); }).code(),
            codes::ERR_CONNECT);
  open(AccessMode::Create)->execute("CREATE TABLE t (a INTEGER)");
  EXPECT_TRUE(fs::exists(path("x.duckdb")));
}

TEST_F(DuckdbTest, RefusesAPipe) {
  ASSERT_EQ(::mkfifo(path("x.duckdb").c_str(), 0600), 0);
  EXPECT_EQ(failure_of([&] { open(AccessMode::ReadOnly); }).code(), codes::ERR_CONNECT);
}

// One closes the file as its last user while others open it.
TEST_F(DuckdbTest, OpensAFileThatIsJustBeingClosed) {
  open(AccessMode::Create)->execute("CREATE TABLE t AS SELECT * FROM range(1000)");
  std::atomic<int> opened = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 25; ++n) {
        open(AccessMode::ReadWrite)->execute("SELECT 1");
        ++opened;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(opened, 200);
}

TEST_F(DuckdbTest, RefusesForeignAndTruncatedFiles) {
  std::ofstream(path("foreign.duckdb")) << std::string(20000, 'x');
  EXPECT_EQ(failure_of([&] { open(AccessMode::ReadOnly, "foreign.duckdb"); }).code(),
            codes::ERR_CONNECT);
  open(AccessMode::Create)->execute("CREATE TABLE t AS SELECT * FROM range(100000)");
  fs::resize_file(path("x.duckdb"), 5000);
  EXPECT_EQ(failure_of([&] { open(AccessMode::ReadOnly); }).code(), codes::ERR_CONNECT);
}

TEST_F(DuckdbTest, CannotWriteOnAReadOnlyConnection) {
  open(AccessMode::Create)->execute("CREATE TABLE t (a INTEGER)");
  const auto reader = open(AccessMode::ReadOnly);
  for (const std::string& sql :
       {std::string("INSERT INTO t VALUES (1)"), std::string("CREATE TABLE u (a INTEGER)"),
        "COPY t TO '" + path("out.csv") + "'", "ATTACH '" + path("other.duckdb") + "' AS o",
        "EXPORT DATABASE '" + path("export") + "'"}) {
    EXPECT_EQ(failure_of([&] { reader->execute(sql); }).code(), codes::ERR_READ_ONLY) << sql;
  }
  EXPECT_EQ(one(*reader, "SELECT count(*) FROM t"), "0");
  EXPECT_FALSE(fs::exists(path("out.csv")));
  EXPECT_FALSE(fs::exists(path("other.duckdb")));
}

// Each line: an expression and the text of its value, which is DuckDB's own cast to VARCHAR.
TEST_F(DuckdbTest, SpellsValuesAsDuckdbDoes) {
  const auto connection = open(AccessMode::Create, ":memory:");
  for (const char* expression : {"170141183460469231731687303715884105727::HUGEINT",
                                 "(-5)::HUGEINT",
                                 "0::UHUGEINT",
                                 "18446744073709551615::UBIGINT",
                                 "12.50::DECIMAL(4,2)",
                                 "(-0.05)::DECIMAL(4,2)",
                                 "123456789012345678901234567890.123::DECIMAL(38,3)",
                                 "DATE '2027-03-14'",
                                 "DATE '0044-03-15 (BC)'",
                                 "'infinity'::DATE",
                                 "TIME '08:15:02.5'",
                                 "TIMESTAMP '2027-03-14 08:15:02.000117'",
                                 "TIMESTAMP '1969-12-31 23:59:59.5'",
                                 "TIMESTAMPTZ '2027-03-14 08:15:02+02'",
                                 "'2027-03-14 08:15:02'::TIMESTAMP_S",
                                 "'2027-03-14 08:15:02.123'::TIMESTAMP_MS",
                                 "'2027-03-14 08:15:02.123456789'::TIMESTAMP_NS",
                                 "'08:15:02+02'::TIMETZ",
                                 "'08:15:02-03:30'::TIMETZ",
                                 "INTERVAL '1 year 2 months 3 days 04:05:06.5'",
                                 "INTERVAL '-5 minutes'",
                                 "INTERVAL '0 days'",
                                 "'eeccb8c5-9943-b2bb-bb5e-222f4e14b687'::UUID",
                                 "'01101'::BIT",
                                 "[1, NULL, 3]",
                                 "['a', 'b c', 'd,e', '', 'it''s', NULL, 'null']",
                                 "{'a': 1, 'b': 'x y'}",
                                 "MAP {'k': 1.5}",
                                 "[[1], []]",
                                 "[1,2]::INTEGER[2]",
                                 "'b'::ENUM('a','b')",
                                 "'{\"a\": 1}'::JSON",
                                 "[DATE '2027-01-01']",
                                 "'a'",
                                 "1e300::DOUBLE::VARCHAR"}) {
    const Row row = connection
                        ->query("SELECT " + std::string(expression) + ", CAST(" +
                                std::string(expression) + " AS VARCHAR)")
                        .rows.at(0);
    EXPECT_EQ(to_text(row.at(0)), to_text(row.at(1))) << expression;
  }
}

TEST_F(DuckdbTest, GivesValuesInTheirKind) {
  const auto connection = open(AccessMode::Create, ":memory:");
  const Row row =
      connection->query("SELECT 1::TINYINT, true, 2.5::DOUBLE, 'häfen', NULL, '\\x00a'::BLOB")
          .rows.at(0);
  EXPECT_EQ(row, (Row{std::int64_t{1}, true, 2.5, "häfen", std::monostate(),
                      Bytes{std::byte{0}, std::byte{'a'}}}));
}

TEST_F(DuckdbTest, BindsParameters) {
  const auto connection = open(AccessMode::Create, ":memory:");
  connection->execute(
      "CREATE TABLE t (a BIGINT, b DOUBLE, c VARCHAR, d BLOB, e BOOLEAN, f INTEGER)");
  const std::vector<Value> row = {std::int64_t{-7},    0.25, "it's",
                                  Bytes{std::byte{1}}, true, std::monostate()};
  const ResultSet inserted = connection->query("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", row);
  EXPECT_EQ(inserted.affected, 1);
  EXPECT_TRUE(inserted.columns.empty());
  EXPECT_EQ(connection->query("SELECT * FROM t").rows.at(0), Row(row));
}

TEST_F(DuckdbTest, TellsColumnTypesWithoutRunning) {
  const auto connection = open(AccessMode::Create, ":memory:");
  const auto columns = connection->describe(
      "SELECT 1 AS a, 1.50::DECIMAL(10,2) AS b, ['x'] AS c, {'k': 1} AS d, NULL::TIMESTAMPTZ AS e, "
      "'{}'::JSON AS f, 'a'::ENUM('a', 'b') AS g, error('never run') AS h");
  std::vector<std::string> natives;
  for (const ResultColumn& column : columns) {
    natives.push_back(column.native_type);
  }
  natives.pop_back();
  EXPECT_EQ(natives, (std::vector<std::string>{"INTEGER", "DECIMAL(10,2)", "VARCHAR[]",
                                               "STRUCT(\"k\" INTEGER)", "TIMESTAMP WITH TIME ZONE",
                                               "JSON", "ENUM('a', 'b')"}));
  EXPECT_EQ(columns.at(0).name, "a");
  EXPECT_EQ(columns.at(1).type.scale, 2);
  EXPECT_EQ(columns.at(2).type.kind, TypeKind::Array);
}

TEST_F(DuckdbTest, StreamsManyRowsAndStopsEarly) {
  const auto connection = open(AccessMode::Create, ":memory:");
  std::int64_t sum = 0;
  connection->stream("SELECT i FROM range(100000) t(i)", [&](const Row& row) {
    sum += to_integer(row.at(0)).value_or(0);
    return true;
  });
  EXPECT_EQ(sum, 4999950000);
  int seen = 0;
  connection->stream("SELECT i FROM range(100000000) t(i)",
                     [&](const Row&) { return ++seen < 10; });
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(one(*connection, "SELECT 1"), "1");
}

TEST_F(DuckdbTest, RunsScriptsAndTransactions) {
  const auto connection = open(AccessMode::Create, ":memory:");
  connection->execute("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1); -- the end\n");
  {
    Transaction transaction(*connection);
    connection->execute("INSERT INTO t VALUES (2)");
    EXPECT_TRUE(connection->in_transaction());
  }
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(one(*connection, "SELECT count(*) FROM t"), "1");
  EXPECT_THROW(connection->query("SELECT 1; SELECT 2"), Error);
}

TEST_F(DuckdbTest, SharesOneFileBetweenConnectionsOfAProgram) {
  const auto first = open(AccessMode::Create);
  const auto second = open(AccessMode::ReadWrite);
  first->execute("CREATE TABLE t (a INTEGER)");
  second->execute("INSERT INTO t VALUES (1)");
  EXPECT_EQ(one(*first, "SELECT count(*) FROM t"), "1");
}

TEST_F(DuckdbTest, WorksInUtc) {
  const auto connection = open(AccessMode::Create, ":memory:");
  EXPECT_EQ(one(*connection, "SELECT current_setting('TimeZone')"), "UTC");
}

TEST_F(DuckdbTest, ClassifiesRealErrors) {
  const auto connection = open(AccessMode::Create, ":memory:");
  connection->execute(
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER CHECK (b > 0)); INSERT INTO t VALUES (1, "
      "1)");
  const auto of = [&](const char* sql) {
    return failure_of([&] { connection->query(sql); }).failure();
  };
  EXPECT_EQ(of("SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("SELEC 1"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT nothing_like_it(1)"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT i::INTEGER FROM (VALUES ('x')) v(i)"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (1, 1)"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (2, -1)"), FailureClass::Data);
  EXPECT_EQ(of("SELECT 2147483647::INTEGER + a FROM t"), FailureClass::Data);
}

constexpr const char* kLong =
    "SELECT count(*) FROM range(10000000) a, range(1000000) b WHERE a.range + b.range = 7";

TEST_F(DuckdbTest, StopsAStatementThatTakesTooLong) {
  const auto connection = open(AccessMode::Create, ":memory:");
  ExecuteOptions options;
  options.timeout_seconds = 0.2;
  const auto error = failure_of([&] { connection->query(kLong, {}, options); });
  EXPECT_EQ(error.failure(), FailureClass::Timeout);
  EXPECT_EQ(error.code(), codes::ERR_TIMEOUT);
  EXPECT_EQ(one(*connection, "SELECT 1"), "1");
}

TEST_F(DuckdbTest, IsCancelledFromAnotherThread) {
  const auto connection = open(AccessMode::Create, ":memory:");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    connection->cancel();
  });
  EXPECT_EQ(failure_of([&] { connection->query(kLong); }).failure(), FailureClass::Cancelled);
  other.join();
}

TEST(DuckdbErrorsTest, ReadsCatalogBinderAndParserErrorsAsSchema) {
  for (const char* message : {"Catalog Error: x", "Binder Error: x", "Parser Error: x"}) {
    EXPECT_EQ(duckdb::classify(message), FailureClass::Schema);
  }
  for (const char* message : {"IO Error: x", "Out of Memory Error: x", "Conversion Error: x",
                              "INTERRUPT Error: x", "Permission Error: x", "whatever"}) {
    EXPECT_NE(duckdb::classify(message), FailureClass::Schema);
  }
}

}  // namespace
}  // namespace kedge::db
