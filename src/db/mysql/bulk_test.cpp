#include "db/bulk.h"

#include <gtest/gtest.h>

#include "failure.h"
#include "servers.h"

namespace kedge::db {
namespace {

using test::failure_of;

class MysqlBulkTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_ = test::MariadbServer::shared().database();
    source_ = test::ScratchServer::connect(settings_);
    destination_ = test::ScratchServer::connect(settings_);
  }
  static BulkTarget target(std::vector<std::string> columns) {
    return {{Identifier(), Identifier("t")}, std::move(columns)};
  }
  std::string one(const std::string& sql) {
    return to_text(destination_->query(sql).rows.at(0).at(0));
  }
  ConnectionSettings settings_;
  std::unique_ptr<Connection> source_;
  std::unique_ptr<Connection> destination_;
};

TEST_F(MysqlBulkTest, CarriesEveryType) {
  source_->execute(
      "CREATE TABLE s (a TINYINT(1), b BIGINT UNSIGNED, c DOUBLE, d DECIMAL(30,10), e VARCHAR(30), "
      "f "
      "LONGBLOB, g DATE, h TIME(6), i DATETIME(6), j TIMESTAMP(6) NULL, k JSON, l ENUM('x','y'), m "
      "INT, n YEAR, o FLOAT); CREATE TABLE t LIKE s");
  source_->execute(
      "INSERT INTO s VALUES (1, 18446744073709551615, -2.25e300, 12345678901234567890.0123456789, "
      "'hä''fen', x'00ff', '2027-03-14', '08:15:02.000117', '1969-12-31 23:59:59.999999', "
      "'2027-03-14 08:15:02.5', '{\"k\": [1]}', 'y', -5, 2027, 1.5), (NULL, NULL, NULL, NULL, "
      "NULL, NULL, NULL, NULL, "
      "NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
  std::vector<std::string> names;
  for (const ResultColumn& column : source_->describe("SELECT * FROM s")) {
    names.push_back(column.name);
  }
  EXPECT_EQ(copy_rows(*source_, "SELECT * FROM s", *destination_, target(names)), 2);
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT * FROM s EXCEPT SELECT * FROM t) x"), "0");
  EXPECT_EQ(one("SELECT count(*) FROM t"), "2");
}

TEST_F(MysqlBulkTest, KeepsRowsOverManyStatements) {
  source_->execute("CREATE TABLE t (i BIGINT, s TEXT, d INT DEFAULT 7)");
  EXPECT_EQ(copy_rows(*source_, "SELECT concat('row ', seq), seq FROM seq_1_to_10001",
                      *destination_, target({"s", "i"})),
            10001);
  EXPECT_EQ(one("SELECT concat(count(*), ' ', sum(i), ' ', count(DISTINCT s), ' ', sum(d)) FROM t"),
            "10001 50015001 10001 70007");
}

TEST_F(MysqlBulkTest, RefusesWhatDoesNotFitAndLeavesNothing) {
  struct Case {
    const char* type;
    const char* expression;
  };
  destination_->execute("SET SESSION sql_mode = ''");
  for (const Case& test :
       {Case{"TINYINT", "300"}, Case{"DECIMAL(6,2)", "20.205"}, Case{"VARCHAR(2)", "'abc'"},
        Case{"DATETIME", "CAST('2027-01-01 00:00:00.5' AS DATETIME(1))"}, Case{"INT", "'x'"}}) {
    destination_->execute("DROP TABLE IF EXISTS t; CREATE TABLE t (c " + std::string(test.type) +
                          ")");
    const auto error = failure_of([&] {
      copy_rows(*source_, "SELECT " + std::string(test.expression) + " FROM seq_1_to_2",
                *destination_, target({"c"}));
    });
    EXPECT_EQ(error.failure(), FailureClass::Data) << test.type << " " << test.expression;
    EXPECT_EQ(one("SELECT count(*) FROM t"), "0") << test.type;
    EXPECT_FALSE(destination_->in_transaction());
  }
  EXPECT_EQ(one("SELECT @@SESSION.sql_mode"), "");
}

TEST_F(MysqlBulkTest, WritesNothingOnAReadOnlyConnection) {
  source_->execute("CREATE TABLE t (i INT)");
  ConnectionSettings settings = settings_;
  settings.access = AccessMode::ReadOnly;
  const auto reader = test::ScratchServer::connect(settings);
  EXPECT_EQ(failure_of([&] { open_writer(*reader, target({"i"})); }).code(), codes::ERR_READ_ONLY);
}

}  // namespace
}  // namespace kedge::db
