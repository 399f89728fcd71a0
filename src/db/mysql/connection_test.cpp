#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "db/mysql/errors.h"
#include "failure.h"
#include "kedge/codes.h"
#include "servers.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

class MysqlTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_ = test::MariadbServer::shared().database();
    writer_ = test::ScratchServer::connect(settings_);
  }
  std::unique_ptr<Connection> reader() const {
    ConnectionSettings settings = settings_;
    settings.access = AccessMode::ReadOnly;
    return test::ScratchServer::connect(settings);
  }
  ConnectionSettings settings_;
  std::unique_ptr<Connection> writer_;
};

TEST_F(MysqlTest, NamesItsEngine) {
  const schema::Engine& engine = writer_->engine();
  EXPECT_EQ(engine.product, "MariaDB");
  EXPECT_GE(engine.major, 10);
  EXPECT_EQ(engine.version.find("MariaDB"), std::string::npos);
}

TEST_F(MysqlTest, GivesValuesInTheirKind) {
  const std::string sql =
      "SELECT 1, CAST(18446744073709551615 AS UNSIGNED), 1.50, 2.5e0, 'häfen', NULL, "
      "x'00ff', DATE '2027-03-14'";
  for (const bool prepared : {false, true}) {
    const std::vector<Value> parameters = {std::int64_t{0}};
    const ResultSet set =
        prepared ? writer_->query(sql + " FROM (SELECT ? x) t", parameters) : writer_->query(sql);
    const Row& row = set.rows.at(0);
    EXPECT_EQ(row.at(0), Value(std::int64_t{1}));
    EXPECT_EQ(row.at(1), Value("18446744073709551615"));
    EXPECT_EQ(row.at(2), Value("1.50"));
    EXPECT_EQ(row.at(3), Value(2.5));
    EXPECT_EQ(row.at(4), Value("häfen"));
    EXPECT_TRUE(is_null(row.at(5)));
    EXPECT_EQ(row.at(6), Value(Bytes{std::byte{0}, std::byte{255}}));
    EXPECT_EQ(row.at(7), Value("2027-03-14"));
  }
}

TEST_F(MysqlTest, TellsColumnTypesWithoutRunning) {
  writer_->execute(
      "CREATE TABLE t (a TINYINT(1), b TINYINT UNSIGNED, c BIGINT, d DECIMAL(10,2), e VARCHAR(30), "
      "f LONGTEXT, g DATETIME(3), h TIMESTAMP NULL, i ENUM('x','y'), j VARBINARY(4), k CHAR(2), "
      "l DECIMAL(6,0) UNSIGNED, m TEXT, n BLOB)");
  const auto columns = writer_->describe("SELECT * FROM t");
  std::vector<std::string> natives;
  for (const ResultColumn& column : columns) {
    natives.push_back(column.native_type);
  }
  EXPECT_EQ(natives, (std::vector<std::string>{
                         "tinyint(1)", "tinyint unsigned", "bigint", "decimal(10,2)", "varchar(30)",
                         "longtext", "datetime(3)", "timestamp", "enum", "varbinary(4)", "char(2)",
                         "decimal(6,0) unsigned", "text", "blob"}));
  EXPECT_EQ(columns.at(0).type.kind, TypeKind::Boolean);
  EXPECT_EQ(columns.at(3).type.scale, 2);
  EXPECT_EQ(columns.at(4).type.length, 30);
}

TEST_F(MysqlTest, BindsParameters) {
  writer_->execute("CREATE TABLE t (a BIGINT, b DOUBLE, c TEXT, d BLOB, e TINYINT(1), f INT)");
  const std::vector<Value> row = {std::int64_t{-7},    0.25, "it's",
                                  Bytes{std::byte{1}}, true, std::monostate()};
  const ResultSet inserted = writer_->query("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", row);
  EXPECT_EQ(inserted.affected, 1);
  EXPECT_EQ(writer_->query("SELECT * FROM t").rows.at(0), Row(row));
}

TEST_F(MysqlTest, StreamsAndStopsEarly) {
  writer_->execute("CREATE TABLE t (a INT)");
  writer_->execute("INSERT INTO t SELECT seq FROM seq_1_to_100000");
  int seen = 0;
  writer_->stream("SELECT a, repeat('x', 1000) FROM t", [&](const Row&) { return ++seen < 10; });
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) FROM t").rows.at(0).at(0)), "100000");
}

TEST_F(MysqlTest, RunsScripts) {
  writer_->execute("CREATE TABLE a (x INT); INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)");
  EXPECT_EQ(to_text(writer_->query("SELECT sum(x) FROM a").rows.at(0).at(0)), "3");
  EXPECT_THROW(writer_->execute("INSERT INTO a VALUES (3); INSERT INTO nowhere VALUES (1)"), Error);
}

TEST_F(MysqlTest, IsUsableAfterACallWithSeveralResults) {
  writer_->execute("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END");
  EXPECT_EQ(to_text(writer_->query("CALL p()").rows.at(0).at(0)), "1");
  writer_->execute("CREATE PROCEDURE q() BEGIN SELECT 1; SELECT x FROM nowhere; END");
  EXPECT_EQ(failure_of([&] { writer_->query("CALL q()"); }).failure(), FailureClass::Schema);
  EXPECT_EQ(to_text(writer_->query("SELECT 3").rows.at(0).at(0)), "3");
}

TEST_F(MysqlTest, ShowsSeveralTablesInOneGoAndNothingElse) {
  writer_->execute("CREATE TABLE a (x INT); CREATE TABLE `b;``c` (x INT)");
  const auto connection = reader();
  const std::string show = "SHOW CREATE TABLE `" + settings_.options.at("database") + "`.";
  const ResultSet both = connection->query(show + "`a`; " + show + "`b;``c`");
  ASSERT_EQ(both.rows.size(), 2U);
  EXPECT_EQ(to_text(both.rows.at(1).at(0)), "b;`c");
  for (const char* tail : {"`a`; INSERT INTO a VALUES (1)", "`a`; SELECT 1",
                           "`a`;INSERT INTO a VALUES (1); ", "a; SHOW CREATE TABLE a"}) {
    EXPECT_THROW(connection->query(show + tail), Error) << tail;
  }
  EXPECT_EQ(to_text(connection->query("SELECT count(*) FROM a").rows.at(0).at(0)), "0");
}

TEST_F(MysqlTest, RollsBackUnlessCommitted) {
  writer_->execute("CREATE TABLE a (x INT) ENGINE=InnoDB");
  {
    Transaction transaction(*writer_);
    writer_->execute("INSERT INTO a VALUES (1)");
    EXPECT_TRUE(writer_->in_transaction());
  }
  EXPECT_FALSE(writer_->in_transaction());
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) FROM a").rows.at(0).at(0)), "0");
}

TEST_F(MysqlTest, CannotWriteOnAReadOnlyConnection) {
  writer_->execute("CREATE TABLE a (x INT)");
  writer_->execute(
      "CREATE PROCEDURE p() BEGIN START TRANSACTION READ WRITE; INSERT INTO a VALUES (1); COMMIT; "
      "END");
  const auto connection = reader();
  for (const char* sql :
       {"INSERT INTO a VALUES (1)", "CREATE TABLE b (x INT)", "DROP TABLE a",
        "SET SESSION TRANSACTION READ WRITE", "SET tx_read_only = 0",
        "START TRANSACTION READ WRITE", "CALL p()", "/*! SET tx_read_only = 0 */",
        "SET STATEMENT tx_read_only=0 FOR SELECT 1", "EXECUTE IMMEDIATE 'INSERT INTO a VALUES (1)'",
        "COMMIT", "SELECT 1; INSERT INTO a VALUES (1)"}) {
    EXPECT_THROW(connection->query(sql), Error) << sql;
    EXPECT_THROW(connection->execute(sql), Error) << sql;
  }
  EXPECT_EQ(to_text(connection->query("SELECT count(*) FROM a").rows.at(0).at(0)), "0");
}

TEST_F(MysqlTest, ClassifiesRealErrors) {
  writer_->execute("CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT CHECK (b > 0))");
  const auto of = [&](const char* sql) {
    return failure_of([&] { writer_->query(sql); }).failure();
  };
  EXPECT_EQ(of("SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("SELEC 1"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT nothing_like_it(1)"), FailureClass::Schema);
  EXPECT_EQ(of("DROP TABLE nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("INSERT INTO t (a) VALUES (NULL)"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (1, -1)"), FailureClass::Data);
  writer_->execute("INSERT INTO t VALUES (1, 1)");
  EXPECT_EQ(of("INSERT INTO t VALUES (1, 1)"), FailureClass::Data);
  EXPECT_EQ(of("SELECT 9223372036854775807 + 1"), FailureClass::Data);
}

TEST_F(MysqlTest, ReportsMissingRightsAsPermission) {
  writer_->execute("CREATE TABLE t (a INT); CREATE TABLE u (a INT)");
  const std::string database = settings_.options.at("database");
  writer_->execute(
      "CREATE USER IF NOT EXISTS visitor@localhost IDENTIFIED BY 'Kiel-77'; GRANT SELECT ON " +
      database + ".u TO visitor@localhost");
  ConnectionSettings visitor = settings_;
  visitor.options["user"] = "visitor";
  visitor.options["password"] = "Kiel-77";
  visitor.secrets = {"Kiel-77"};
  const auto connection = test::ScratchServer::connect(visitor);
  EXPECT_NO_THROW(connection->query("SELECT * FROM u"));
  EXPECT_EQ(failure_of([&] { connection->query("SELECT * FROM t"); }).failure(),
            FailureClass::Permission);
}

TEST_F(MysqlTest, RefusesAWrongPasswordWithoutTellingIt) {
  ConnectionSettings settings = settings_;
  settings.options["user"] = "nobody-known";
  settings.options["password"] = "Kiel-78";
  settings.secrets = {"Kiel-78"};
  const auto error = failure_of([&] { test::ScratchServer::connect(settings); });
  EXPECT_EQ(error.code(), codes::ERR_CONNECT);
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_EQ(error.driver_message().find("Kiel-78"), std::string::npos);
}

TEST_F(MysqlTest, StopsAStatementThatTakesTooLong) {
  ExecuteOptions options;
  options.timeout_seconds = 0.2;
  const auto error = failure_of([&] {
    writer_->query("SELECT count(*) FROM seq_1_to_100000000 a, seq_1_to_1000 b", {}, options);
  });
  EXPECT_EQ(error.failure(), FailureClass::Timeout);
  EXPECT_EQ(error.code(), codes::ERR_TIMEOUT);
  EXPECT_EQ(writer_->query("SELECT 1").rows.size(), 1U);
}

TEST_F(MysqlTest, IsCancelledFromAnotherThread) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    writer_->cancel();
  });
  const auto error = failure_of(
      [&] { writer_->query("SELECT count(*) FROM seq_1_to_100000000 a, seq_1_to_1000 b"); });
  other.join();
  EXPECT_EQ(error.failure(), FailureClass::Cancelled);
  EXPECT_EQ(error.code(), codes::ERR_CANCELLED);
}

TEST_F(MysqlTest, ReportsAKilledConnection) {
  const std::string id = to_text(writer_->query("SELECT connection_id()").rows.at(0).at(0));
  test::ScratchServer::connect(settings_)->execute("KILL CONNECTION " + id);
  const auto error = failure_of([&] { writer_->query("SELECT 1"); });
  EXPECT_EQ(error.failure(), FailureClass::Connection);
}

TEST(MysqlErrorsTest, KeepsTheSchemaClassExact) {
  for (const unsigned int number : {1054U, 1146U, 1064U, 1305U, 1051U, 1060U}) {
    EXPECT_EQ(mysql::classify(number), FailureClass::Schema) << number;
  }
  for (const unsigned int number : {1045U, 1142U, 1205U, 1317U, 2013U, 1040U, 9999U}) {
    EXPECT_NE(mysql::classify(number), FailureClass::Schema) << number;
  }
}

TEST(MysqlConnectTest, ReportsAClosedPort) {
  ConnectionSettings settings = *parse_url("mysql://root:Kiel-79@127.0.0.1:1/x");
  const auto error = failure_of([&] { test::ScratchServer::connect(settings); });
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_EQ(std::string(error.what()).find("Kiel-79"), std::string::npos);
}

}  // namespace
}  // namespace kedge::db
