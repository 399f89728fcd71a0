#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "db/postgres/errors.h"
#include "failure.h"
#include "kedge/codes.h"
#include "servers.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_ = test::PostgresServer::shared().database();
    writer_ = test::ScratchServer::connect(settings_);
  }
  std::unique_ptr<Connection> reader() const {
    ConnectionSettings settings = settings_;
    settings.access = AccessMode::ReadOnly;
    return test::ScratchServer::connect(settings);
  }
  std::string one(Connection& connection, const std::string& sql) const {
    return to_text(connection.query(sql).rows.at(0).at(0));
  }
  ConnectionSettings settings_;
  std::unique_ptr<Connection> writer_;
};

TEST_F(PostgresTest, NamesItsEngine) {
  EXPECT_EQ(writer_->engine().product, "PostgreSQL");
  EXPECT_GE(writer_->engine().major, 12);
  EXPECT_EQ(writer_->engine().version.find(' '), std::string::npos);
}

TEST_F(PostgresTest, GivesValuesInTheirKind) {
  const Row row =
      writer_
          ->query(
              "SELECT 1::int, true, 2.5::float8, 1.50::numeric, 'häfen'::text, NULL, "
              "'\\x00ff'::bytea, '2027-03-14 08:15:02.5+02'::timestamptz, 'NaN'::float8")
          .rows.at(0);
  EXPECT_EQ(row.at(0), Value(std::int64_t{1}));
  EXPECT_EQ(row.at(1), Value(true));
  EXPECT_EQ(row.at(2), Value(2.5));
  EXPECT_EQ(row.at(3), Value("1.50"));
  EXPECT_EQ(row.at(4), Value("häfen"));
  EXPECT_TRUE(is_null(row.at(5)));
  EXPECT_EQ(row.at(6), Value(Bytes{std::byte{0}, std::byte{255}}));
  EXPECT_EQ(row.at(7), Value("2027-03-14 06:15:02.5+00"));
  EXPECT_EQ(to_text(row.at(8)), "NaN");
}

TEST_F(PostgresTest, TellsColumnTypesWithoutRunning) {
  writer_->execute(
      "CREATE TYPE mood AS ENUM ('ok'); CREATE DOMAIN age AS int; CREATE TABLE t (a boolean, b "
      "varchar(12), c numeric(10,2), d timestamptz(3), e text[], f mood, g age, h mood[], i "
      "char(3), j jsonb, k numeric)");
  std::vector<std::string> natives;
  const auto columns = writer_->describe("SELECT *, 1/0 FROM t");
  for (const ResultColumn& column : columns) {
    natives.push_back(column.native_type);
  }
  EXPECT_EQ(natives,
            (std::vector<std::string>{"boolean", "character varying(12)", "numeric(10,2)",
                                      "timestamp(3) with time zone", "text[]", "mood", "integer",
                                      "mood[]", "character(3)", "jsonb", "numeric", "integer"}));
  EXPECT_EQ(columns.at(5).type.kind, TypeKind::Enum);
  EXPECT_EQ(columns.at(4).type.element.at(0).kind, TypeKind::Text);
  EXPECT_EQ(columns.at(7).type.element.at(0).kind, TypeKind::Enum);
}

TEST_F(PostgresTest, BindsParameters) {
  writer_->execute("CREATE TABLE t (a bigint, b float8, c text, d bytea, e boolean, f int)");
  const std::vector<Value> row = {std::int64_t{-7},    0.25, "it's",
                                  Bytes{std::byte{1}}, true, std::monostate()};
  EXPECT_EQ(writer_->query("INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)", row).affected, 1);
  EXPECT_EQ(writer_->query("SELECT * FROM t").rows.at(0), Row(row));
}

TEST_F(PostgresTest, StreamsAndStopsEarlyInAndOutOfATransaction) {
  for (const bool inside : {false, true}) {
    if (inside) {
      writer_->begin();
    }
    int seen = 0;
    const auto columns =
        writer_->stream("SELECT n, repeat('x', 100) FROM generate_series(1, 200000) n",
                        [&](const Row&) { return ++seen < 10; });
    EXPECT_EQ(seen, 10);
    EXPECT_EQ(columns.at(0).name, "n");
    EXPECT_EQ(one(*writer_, "SELECT 1"), "1");
  }
  EXPECT_TRUE(writer_->in_transaction());
}

TEST_F(PostgresTest, StaysUsableWhenAHandlerThrows) {
  EXPECT_THROW(writer_->stream("SELECT generate_series(1, 1000)",
                               [](const Row&) -> bool { throw Error(codes::ERR_LIMIT, "enough"); }),
               Error);
  EXPECT_EQ(one(*writer_, "SELECT 1"), "1");
}

TEST_F(PostgresTest, RunsScripts) {
  writer_->execute("CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2)");
  EXPECT_EQ(one(*writer_, "SELECT sum(x) FROM a"), "3");
  EXPECT_THROW(writer_->execute("COPY a FROM STDIN"), Error);
  EXPECT_EQ(one(*writer_, "SELECT 1"), "1");
}

TEST_F(PostgresTest, RollsBackUnlessCommitted) {
  writer_->execute("CREATE TABLE a (x int)");
  {
    Transaction transaction(*writer_);
    writer_->execute("INSERT INTO a VALUES (1)");
  }
  EXPECT_FALSE(writer_->in_transaction());
  EXPECT_EQ(one(*writer_, "SELECT count(*) FROM a"), "0");
}

// Each of these would open a way to write on a session that only has
// default_transaction_read_only.
TEST_F(PostgresTest, CannotBeTalkedOutOfReadOnly) {
  writer_->execute(
      "CREATE TABLE a (x int); CREATE SEQUENCE s; CREATE PROCEDURE p() LANGUAGE plpgsql AS "
      "'BEGIN COMMIT; SET TRANSACTION READ WRITE; INSERT INTO a VALUES (1); END'");
  const auto connection = reader();
  const auto attempt = [&](const char* sql) {
    try {
      connection->query(sql);
    } catch (const Error&) {
    }
    try {
      connection->execute(sql);
    } catch (const Error&) {
    }
  };
  for (const bool inside : {false, true}) {
    for (const char* sql :
         {"SET default_transaction_read_only = off",
          "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
          "SELECT set_config('default_transaction_read_only', 'off', false)",
          "SELECT set_config('transaction_read_only', 'off', true)",
          "SET TRANSACTION READ WRITE",
          "COMMIT",
          "BEGIN READ WRITE",
          "START TRANSACTION READ WRITE",
          "ROLLBACK AND CHAIN",
          "RESET ALL",
          "DISCARD ALL",
          "COMMIT; BEGIN READ WRITE; INSERT INTO a VALUES (1); COMMIT",
          "DO $$ BEGIN COMMIT; SET TRANSACTION READ WRITE; INSERT INTO a VALUES (1); END $$",
          "CALL p()",
          "COPY a FROM PROGRAM 'echo 1'",
          "WITH w AS (INSERT INTO a VALUES (1) RETURNING x) SELECT * FROM w",
          "EXPLAIN ANALYZE INSERT INTO a VALUES (1)",
          "SELECT nextval('s')",
          "SELECT 1 INTO b",
          "CREATE TABLE c (x int)"}) {
      if (inside && !connection->in_transaction()) {
        connection->begin();
      }
      attempt(sql);
      attempt("INSERT INTO a VALUES (1)");
      attempt("COMMIT");
      if (inside && connection->in_transaction()) {
        connection->rollback();
      }
      EXPECT_EQ(one(*writer_, "SELECT count(*) FROM a"), "0") << sql;
    }
  }
  EXPECT_EQ(one(*writer_, "SELECT count(*) FROM pg_class WHERE relname IN ('b', 'c')"), "0");
}

TEST_F(PostgresTest, SaysThatAConnectionIsReadOnly) {
  writer_->execute("CREATE TABLE a (x int)");
  const auto connection = reader();
  EXPECT_EQ(failure_of([&] { connection->query("INSERT INTO a VALUES (1)"); }).code(),
            codes::ERR_READ_ONLY);
  EXPECT_EQ(one(*connection, "SELECT count(*) FROM a"), "0");
}

TEST_F(PostgresTest, KeepsOneSnapshotInAReadOnlyTransaction) {
  writer_->execute("CREATE TABLE a (x int)");
  const auto connection = reader();
  connection->begin();
  writer_->execute("INSERT INTO a VALUES (1)");
  EXPECT_EQ(one(*connection, "SELECT count(*) FROM a"), "0");
  connection->commit();
  EXPECT_EQ(one(*connection, "SELECT count(*) FROM a"), "1");
}

TEST_F(PostgresTest, ClassifiesRealErrors) {
  writer_->execute(
      "CREATE TABLE t (a int PRIMARY KEY, b int CHECK (b > 0)); INSERT INTO t VALUES (1, 1)");
  const auto of = [&](const char* sql) {
    return failure_of([&] { writer_->query(sql); }).failure();
  };
  EXPECT_EQ(of("SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("SELEC 1"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT nothing_like_it(1)"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT a || true FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 1/0"), FailureClass::Data);
  EXPECT_EQ(of("SELECT 'x'::int"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (1, 1)"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (2, -1)"), FailureClass::Data);
  EXPECT_EQ(of("SELECT 1; SELECT 2"), FailureClass::Schema);  // 42601, a syntax error
}

TEST_F(PostgresTest, ReportsMissingRightsAsPermission) {
  writer_->execute(
      "CREATE TABLE t (a int); CREATE TABLE u (a int); CREATE ROLE visitor LOGIN; GRANT SELECT ON "
      "u TO visitor");
  ConnectionSettings visitor = settings_;
  visitor.options["user"] = "visitor";
  const auto connection = test::ScratchServer::connect(visitor);
  EXPECT_NO_THROW(connection->query("SELECT * FROM u"));
  const auto error = failure_of([&] { connection->query("SELECT * FROM t"); });
  EXPECT_EQ(error.failure(), FailureClass::Permission);
  EXPECT_EQ(error.native_code(), "42501");
}

TEST_F(PostgresTest, ReportsALockThatIsNotFree) {
  writer_->execute("CREATE TABLE t (a int)");
  const auto other = test::ScratchServer::connect(settings_);
  other->begin();
  other->execute("LOCK TABLE t");
  EXPECT_EQ(
      failure_of([&] { writer_->execute("SET lock_timeout = '50ms'; LOCK TABLE t"); }).failure(),
      FailureClass::Lock);
}

TEST_F(PostgresTest, StopsAStatementThatTakesTooLong) {
  ExecuteOptions options;
  options.timeout_seconds = 0.2;
  const auto error = failure_of([&] { writer_->query("SELECT pg_sleep(30)", {}, options); });
  EXPECT_EQ(error.failure(), FailureClass::Timeout);
  EXPECT_EQ(error.code(), codes::ERR_TIMEOUT);
  EXPECT_EQ(one(*writer_, "SELECT 1"), "1");
}

TEST_F(PostgresTest, IsUsableAfterATimeOutInsideTheReadOnlyGuard) {
  ExecuteOptions options;
  options.timeout_seconds = 0.2;
  const auto connection = reader();
  EXPECT_EQ(failure_of([&] {
              connection->query("EXPLAIN ANALYZE SELECT pg_sleep(30)", {}, options);
            }).failure(),
            FailureClass::Timeout);
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(one(*connection, "SELECT 1"), "1");
}

TEST_F(PostgresTest, TakesTheTimeOutFromTheSettings) {
  ConnectionSettings settings = settings_;
  settings.options["command_timeout_seconds"] = "0.2";
  const auto connection = test::ScratchServer::connect(settings);
  EXPECT_EQ(failure_of([&] { connection->query("SELECT pg_sleep(30)"); }).failure(),
            FailureClass::Timeout);
}

TEST_F(PostgresTest, IsCancelledFromAnotherThread) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    writer_->cancel();
  });
  const auto error = failure_of([&] { writer_->query("SELECT pg_sleep(30)"); });
  other.join();
  EXPECT_EQ(error.failure(), FailureClass::Cancelled);
  EXPECT_EQ(error.code(), codes::ERR_CANCELLED);
}

TEST_F(PostgresTest, ReportsAConnectionKilledInTheMiddle) {
  const std::string id = one(*writer_, "SELECT pg_backend_pid()");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    test::ScratchServer::connect(settings_)->query("SELECT pg_terminate_backend(" + id + ")");
  });
  const auto error = failure_of([&] { writer_->query("SELECT pg_sleep(30)"); });
  other.join();
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_EQ(failure_of([&] { writer_->query("SELECT 1"); }).failure(), FailureClass::Connection);
}

TEST_F(PostgresTest, UsesTheSchemaOfTheSettings) {
  writer_->execute("CREATE SCHEMA \"My dock\"; CREATE TABLE \"My dock\".t (a int)");
  ConnectionSettings settings = settings_;
  settings.options["schema"] = "My dock";
  EXPECT_EQ(one(*test::ScratchServer::connect(settings), "SELECT count(*) FROM t"), "0");
}

TEST_F(PostgresTest, RefusesAnUnknownDatabase) {
  ConnectionSettings settings = settings_;
  settings.options["database"] = "nowhere";
  const auto error = failure_of([&] { test::ScratchServer::connect(settings); });
  EXPECT_EQ(error.code(), codes::ERR_CONNECT);
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_NE(error.driver_message().find("nowhere"), std::string::npos);
}

TEST(PostgresConnectTest, ReportsAClosedPortWithoutThePassword) {
  const auto error = failure_of(
      [&] { test::ScratchServer::connect(*parse_url("postgres://me:Kiel%2080@127.0.0.1:1/x")); });
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  const std::string all = error.what() + error.driver_message();
  EXPECT_EQ(all.find("Kiel 80"), std::string::npos);
  EXPECT_EQ(all.find("Kiel%2080"), std::string::npos);
}

TEST(PostgresErrorsTest, ReadsOnlyClass42AsSchemaAndNotItsPermission) {
  EXPECT_EQ(postgres::classify("42P01"), FailureClass::Schema);
  EXPECT_EQ(postgres::classify("42501"), FailureClass::Permission);
  for (const char* state : {"28P01", "53300", "57014", "57P01", "08006", "40P01", "3F000", "0A000",
                            "25006", "XX000", ""}) {
    EXPECT_NE(postgres::classify(state), FailureClass::Schema) << state;
  }
}

}  // namespace
}  // namespace kedge::db
