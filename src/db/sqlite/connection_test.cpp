#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_system.h"
#include "db/sqlite/connector.h"
#include "db/sqlite/errors.h"
#include "failure.h"

namespace kedge::db {
namespace {

namespace fs = std::filesystem;
using schema::TypeKind;
using test::failure_of;

class SqliteTest : public testing::Test {
 protected:
  std::unique_ptr<Connection> open(AccessMode access, const std::string& name = "x.db") const {
    ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "sqlite";
    settings.options["path"] = path(name);
    settings.access = access;
    return make_sqlite_connector()->connect(settings);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  base::TemporaryFolder folder_;
};

TEST_F(SqliteTest, MakesAFileOnlyWhenAsked) {
  for (const AccessMode access : {AccessMode::ReadOnly, AccessMode::ReadWrite}) {
    const auto error = failure_of([&] { open(access); });
    EXPECT_EQ(error.code(), codes::ERR_CONNECT);
    EXPECT_EQ(error.failure(), FailureClass::Connection);
    EXPECT_FALSE(fs::exists(path("x.db")));
  }
  open(AccessMode::Create)->execute("CREATE TABLE t (a)");
  EXPECT_TRUE(fs::exists(path("x.db")));
}

TEST_F(SqliteTest, NamesAMissingFolder) {
  const auto error = failure_of([&] { open(AccessMode::Create, "no/x.db"); });
  EXPECT_NE(error.driver_message().find("folder"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("no")));
}

TEST_F(SqliteTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(path("x.db").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", path("null.db"));
  for (const char* name : {"x.db", "null.db"}) {
    const auto error = failure_of([&] { open(AccessMode::ReadOnly, name); });
    EXPECT_EQ(error.code(), codes::ERR_CONNECT) << name;
    EXPECT_NE(error.driver_message().find("not a regular file"), std::string::npos) << name;
  }
}

TEST_F(SqliteTest, RefusesATruncatedFile) {
  {
    const auto writer = open(AccessMode::Create);
    writer->execute("CREATE TABLE t (a); CREATE INDEX i ON t (a)");
    writer->execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT "
        "INTO t SELECT i FROM n");
  }
  fs::resize_file(path("x.db"), 6000);
  const auto error = failure_of([&] { open(AccessMode::ReadOnly); });
  EXPECT_EQ(error.code(), codes::ERR_CONNECT);
  EXPECT_EQ(error.failure(), FailureClass::Connection);
}

TEST_F(SqliteTest, RefusesAForeignFile) {
  std::ofstream(path("x.db")) << std::string(2000, 'x');
  const auto error = failure_of([&] { open(AccessMode::ReadOnly); });
  EXPECT_EQ(error.code(), codes::ERR_CONNECT);
  EXPECT_NE(error.driver_message().find("not a database"), std::string::npos);
}

TEST_F(SqliteTest, CannotWriteOnAReadOnlyConnection) {
  open(AccessMode::Create)->execute("CREATE TABLE t (a)");
  const auto reader = open(AccessMode::ReadOnly);
  for (const std::string& sql :
       {std::string("INSERT INTO t VALUES (1)"), std::string("CREATE TABLE u (a)"),
        std::string("PRAGMA query_only = OFF; INSERT INTO t VALUES (1)"),
        std::string("PRAGMA user_version = 7"), "VACUUM INTO '" + path("copy.db") + "'",
        "ATTACH '" + path("other.db") + "' AS o; CREATE TABLE o.t (a)",
        "ATTACH 'file:" + path("other.db") + "?mode=rwc' AS p; CREATE TABLE p.t (a)"}) {
    EXPECT_THROW(reader->execute(sql), Error) << sql;
  }
  EXPECT_EQ(to_text(reader->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
  EXPECT_EQ(to_text(reader->query("PRAGMA user_version").rows.at(0).at(0)), "0");
  EXPECT_FALSE(fs::exists(path("copy.db")));
  EXPECT_FALSE(fs::exists(path("other.db")));
  EXPECT_EQ(failure_of([&] { reader->query("INSERT INTO t VALUES (1)"); }).code(),
            codes::ERR_READ_ONLY);
}

TEST_F(SqliteTest, BindsAndReadsEveryStorageClass) {
  const auto connection = open(AccessMode::Create);
  connection->execute("CREATE TABLE t (a, b, c, d, e)");
  const std::vector<Value> row = {std::int64_t{-7}, 0.25, "it's\n", Bytes{std::byte{0}},
                                  std::monostate()};
  EXPECT_EQ(connection->query("INSERT INTO t VALUES (?, ?, ?, ?, ?)", row).affected, 1);
  EXPECT_EQ(connection->query("SELECT * FROM t").rows.at(0), Row(row));
}

TEST_F(SqliteTest, TellsDeclaredTypesAndNoneForExpressions) {
  const auto connection = open(AccessMode::Create);
  connection->execute("CREATE TABLE t (a INTEGER, b VARCHAR(12), c DECIMAL(10,2), d DATETIME)");
  const auto columns = connection->describe("SELECT *, a + 1 FROM t");
  EXPECT_EQ(columns.at(1).native_type, "VARCHAR(12)");
  EXPECT_EQ(columns.at(3).type.kind, TypeKind::Timestamp);
  EXPECT_EQ(columns.at(4).native_type, "");
  EXPECT_EQ(columns.at(4).type.kind, TypeKind::Unknown);
}

TEST_F(SqliteTest, RunsScriptsWithTriggers) {
  const auto connection = open(AccessMode::Create);
  connection->execute(
      "CREATE TABLE t (a); CREATE TABLE log (a); -- a remark\n"
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;\n"
      "INSERT INTO t VALUES (5); /* the end */");
  EXPECT_EQ(to_text(connection->query("SELECT a FROM log").rows.at(0).at(0)), "5");
  EXPECT_THROW(connection->query("SELECT 1; SELECT 2"), Error);
}

TEST_F(SqliteTest, RollsBackUnlessCommitted) {
  const auto connection = open(AccessMode::Create);
  connection->execute("CREATE TABLE t (a)");
  {
    Transaction transaction(*connection);
    connection->execute("INSERT INTO t VALUES (1)");
    EXPECT_TRUE(connection->in_transaction());
  }
  EXPECT_EQ(to_text(connection->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
}

TEST_F(SqliteTest, KeepsOneSnapshotInAReadOnlyTransaction) {
  const auto writer = open(AccessMode::Create);
  writer->execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  const auto reader = open(AccessMode::ReadOnly);
  reader->begin();
  writer->execute("INSERT INTO t VALUES (1)");
  EXPECT_EQ(to_text(reader->query("SELECT count(*) FROM t").rows.at(0).at(0)), "0");
  reader->commit();
  EXPECT_EQ(to_text(reader->query("SELECT count(*) FROM t").rows.at(0).at(0)), "1");
}

TEST_F(SqliteTest, ClassifiesRealErrors) {
  const auto connection = open(AccessMode::Create);
  connection->execute(
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b NOT NULL); INSERT INTO t VALUES (1, 1)");
  const auto of = [&](const char* sql) {
    return failure_of([&] { connection->query(sql); }).failure();
  };
  EXPECT_EQ(of("SELECT x FROM t"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 1 FROM nowhere"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT nothing_like_it(1)"), FailureClass::Schema);
  EXPECT_EQ(of("SELEC 1"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT (1"), FailureClass::Schema);
  EXPECT_EQ(of("SELECT 'x"), FailureClass::Schema);
  EXPECT_EQ(of("INSERT INTO t VALUES (1, 2)"), FailureClass::Data);
  EXPECT_EQ(of("INSERT INTO t VALUES (2, NULL)"), FailureClass::Data);
  EXPECT_EQ(of("SELECT abs(-9223372036854775807 - 1)"), FailureClass::Data);
  EXPECT_EQ(of("SELECT json('{')"), FailureClass::Data);
  EXPECT_EQ(of("SELECT percentile_cont(a, 2) FROM t"), FailureClass::Other);
}

TEST_F(SqliteTest, ReportsALockedDatabase) {
  const auto first = open(AccessMode::Create);
  first->execute("CREATE TABLE t (a)");
  const auto second = open(AccessMode::ReadWrite);
  second->execute("PRAGMA busy_timeout = 20");
  first->execute("BEGIN EXCLUSIVE");
  EXPECT_EQ(failure_of([&] { second->execute("INSERT INTO t VALUES (1)"); }).failure(),
            FailureClass::Lock);
}

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST_F(SqliteTest, StopsAStatementThatTakesTooLong) {
  const auto connection = open(AccessMode::Create);
  ExecuteOptions options;
  options.timeout_seconds = 0.1;
  const auto error = failure_of([&] { connection->query(kEndless, {}, options); });
  EXPECT_EQ(error.failure(), FailureClass::Timeout);
  EXPECT_EQ(error.code(), codes::ERR_TIMEOUT);
  EXPECT_NO_THROW(connection->query("SELECT 1"));
}

TEST_F(SqliteTest, IsCancelledFromAnotherThread) {
  const auto connection = open(AccessMode::Create);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    connection->cancel();
  });
  EXPECT_EQ(failure_of([&] { connection->query(kEndless); }).failure(), FailureClass::Cancelled);
  other.join();
}

TEST(SqliteErrorsTest, ReadsOnlyTheListedMessagesAsSchema) {
  constexpr int kError = 1;
  for (const char* message :
       {"no such table: t", "no such column: c", "no such function: f", "near \"x\": syntax error",
        "incomplete input", "unrecognized token: \"'x\""}) {
    EXPECT_EQ(sqlite::classify(kError, message), FailureClass::Schema) << message;
  }
  for (const char* message :
       {"ambiguous column name: a", "out of memory", "no such savepoint: s"}) {
    EXPECT_NE(sqlite::classify(kError, message), FailureClass::Schema) << message;
  }
  EXPECT_EQ(sqlite::classify(5, "database is locked"), FailureClass::Lock);
  EXPECT_EQ(sqlite::classify(23, "not authorized"), FailureClass::Permission);
  EXPECT_EQ(sqlite::classify(13, "database or disk is full"), FailureClass::Resource);
}

}  // namespace
}  // namespace kedge::db
