#include <gtest/gtest.h>

#include "base/file_system.h"
#include "db/batch.h"
#include "db/d1/connector.h"
#include "db/d1/text.h"
#include "failure.h"

namespace kedge::db {
namespace {

using test::failure_of;

// Runs a stand-in for wrangler over one sqlite file and keeps what it was called with.
class RecordingRunner final : public base::ProcessRunner {
 public:
  explicit RecordingRunner(std::string database) : database_(std::move(database)) {}
  base::ProcessResult run(const base::ProcessRequest& request) override {
    calls.push_back(request);
    if (broken) {
      return {0, "no json at all", "", false};
    }
    base::ProcessRequest real = request;
    real.arguments.erase(real.arguments.begin());
    real.arguments.insert(real.arguments.begin(), {"python3", KEDGE_WRANGLER_STAND_IN, database_});
    return runner_->run(real);
  }
  std::vector<base::ProcessRequest> calls;
  bool broken = false;

 private:
  std::string database_;
  std::unique_ptr<base::ProcessRunner> runner_ = base::make_process_runner();
};

class D1Test : public testing::Test {
 protected:
  D1Test() : runner_(std::make_shared<RecordingRunner>(folder_.path() + "/d1.db")) {
    settings_.name = "edge";
    settings_.connector = "d1";
    settings_.options = {{"database", "DB"}, {"wrangler", "wrangler-x"}};
    settings_.access = AccessMode::ReadWrite;
    writer_ = open(AccessMode::ReadWrite);
  }
  std::unique_ptr<Connection> open(AccessMode access) const {
    ConnectionSettings settings = settings_;
    settings.access = access;
    return make_d1_connector(runner_, base::make_environment())->connect(settings);
  }
  base::TemporaryFolder folder_;
  std::shared_ptr<RecordingRunner> runner_;
  ConnectionSettings settings_;
  std::unique_ptr<Connection> writer_;
};

TEST_F(D1Test, CallsWranglerWithTheBinding) {
  writer_->query("SELECT 1 AS one");
  EXPECT_EQ(runner_->calls.at(0).arguments,
            (std::vector<std::string>{"wrangler-x", "d1", "execute", "DB", "--local", "--json",
                                      "--yes", "--command", "SELECT 1 AS one"}));
  settings_.options["remote"] = "true";
  open(AccessMode::ReadOnly)->query("SELECT 1 AS one");
  EXPECT_EQ(runner_->calls.at(1).arguments.at(4), "--remote");
}

TEST_F(D1Test, ReadsValuesAndBindsParameters) {
  writer_->execute("CREATE TABLE t (a, b, c, d, e)");
  const std::vector<Value> row = {std::int64_t{-7}, 0.25, "it's ? 'x'", Bytes{std::byte{7}},
                                  std::monostate()};
  writer_->query("INSERT INTO t VALUES (?, ?, ?, ?, ?) -- not ?", row);
  const ResultSet set = writer_->query("SELECT * FROM t");
  EXPECT_EQ(set.rows.at(0), Row(row));
  EXPECT_EQ(set.columns.at(4).name, "e");
}

// Wrangler writes NULL as "null", blobs as "[1,2]", and integers as JavaScript has them.
TEST_F(D1Test, AsksAgainWhereWranglerLeavesADoubt) {
  const ResultSet set = writer_->query(
      "SELECT 'null' AS a, NULL AS b, '[1,2]' AS c, x'0102' AS d, 9007199254740993 AS e, 1.5 AS "
      "f;");
  EXPECT_EQ(set.rows.at(0),
            (Row{"null", std::monostate(), "[1,2]", Bytes{std::byte{1}, std::byte{2}},
                 std::int64_t{9007199254740993}, 1.5}));
  EXPECT_EQ(runner_->calls.size(), 2U);
}

TEST(D1TextTest, UndoesQuote) {
  EXPECT_EQ(d1::unquoted("'it''s'"), Value("it's"));
  EXPECT_EQ(d1::unquoted("-7"), Value(std::int64_t{-7}));
  EXPECT_EQ(d1::unquoted("1.0e+300"), Value(1e300));
  EXPECT_TRUE(is_null(d1::unquoted("NULL")));
}

TEST_F(D1Test, AsksForManyStatementsInOneCall) {
  const std::vector<std::string> statements = {"SELECT 1 AS a", "SELECT 2 AS b WHERE 0",
                                               "SELECT 3 AS c; -- last"};
  const auto results = query_batch(*writer_, statements);
  EXPECT_EQ(runner_->calls.size(), 1U);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(to_text(results[0].rows.at(0).at(0)), "1");
  EXPECT_TRUE(results[1].rows.empty());
  EXPECT_EQ(to_text(results[2].rows.at(0).at(0)), "3");
}

TEST_F(D1Test, DescribesWithoutRows) {
  writer_->execute("CREATE TABLE t (a, b)");
  const auto columns = writer_->describe("SELECT b, a AS x FROM t;");
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].name, "b");
  EXPECT_EQ(columns[1].name, "x");
}

TEST_F(D1Test, SendsATransactionAsOneCall) {
  writer_->execute("CREATE TABLE t (a INTEGER PRIMARY KEY)");
  const std::size_t before = runner_->calls.size();
  {
    Transaction transaction(*writer_);
    writer_->execute("INSERT INTO t VALUES (1)");
    writer_->execute("INSERT INTO t VALUES (2)");
    transaction.commit();
  }
  EXPECT_EQ(runner_->calls.size(), before + 1);
  {
    Transaction transaction(*writer_);
    writer_->execute("INSERT INTO t VALUES (3)");
  }
  writer_->begin();
  writer_->execute("INSERT INTO t VALUES (4); INSERT INTO t VALUES (1)");
  EXPECT_EQ(failure_of([&] { writer_->commit(); }).failure(), FailureClass::Data);
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) AS n FROM t").rows.at(0).at(0)), "2");
}

TEST_F(D1Test, SendsLongScriptsAsAFile) {
  std::string script = "CREATE TABLE t (a, b);";
  for (int i = 0; i < 400; ++i) {
    script +=
        "INSERT INTO t VALUES (" + std::to_string(i) + ", '" + std::string(200, 'x') + "');\n";
  }
  writer_->execute(script);
  EXPECT_EQ(runner_->calls.at(0).arguments.at(7), "--file");
  EXPECT_EQ(to_text(writer_->query("SELECT count(*) AS n FROM t").rows.at(0).at(0)), "400");
}

TEST_F(D1Test, CannotWriteOnAReadOnlyConnection) {
  writer_->execute("CREATE TABLE t (a)");
  const auto reader = open(AccessMode::ReadOnly);
  for (const char* sql : {"INSERT INTO t VALUES (1)", "SELECT 1; DELETE FROM t", "SELECT 1;\n'x'",
                          "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
                          "PRAGMA user_version = 3", "/* SELECT */ DROP TABLE t"}) {
    EXPECT_THROW(reader->query(sql), Error) << sql;
    EXPECT_THROW(reader->execute(sql), Error) << sql;
  }
  EXPECT_EQ(to_text(reader->query("WITH x AS (SELECT count(*) AS n FROM t) SELECT n FROM x")
                        .rows.at(0)
                        .at(0)),
            "0");
  EXPECT_NO_THROW(reader->query("SELECT ';' AS a; -- only one"));
}

TEST_F(D1Test, HandsOnWhatWranglerSays) {
  const auto error = failure_of([&] { writer_->query("SELECT * FROM nowhere"); });
  EXPECT_EQ(error.code(), codes::ERR_WRANGLER);
  EXPECT_EQ(error.failure(), FailureClass::Schema);
  EXPECT_NE(error.driver_message().find("no such table: nowhere"), std::string::npos);
  EXPECT_EQ(failure_of([&] { writer_->execute("ATTACH 'x' AS y"); }).failure(),
            FailureClass::Permission);
  runner_->broken = true;
  EXPECT_EQ(failure_of([&] { writer_->query("SELECT 1"); }).code(), codes::ERR_WRANGLER);
}

TEST(D1ConnectTest, SaysThatThereIsNoWrangler) {
  ConnectionSettings settings = *parse_url("d1:DB");
  settings.options["wrangler"] = "/nowhere/wrangler";
  const auto error = failure_of([&] { make_d1_connector()->connect(settings)->query("SELECT 1"); });
  EXPECT_EQ(error.code(), codes::ERR_WRANGLER);
  EXPECT_EQ(error.failure(), FailureClass::Connection);
  EXPECT_NE(error.problem().hint.find("KEDGE_WRANGLER"), std::string::npos);
}

}  // namespace
}  // namespace kedge::db
