#include "db/bulk.h"

#include <gtest/gtest.h>

#include "db/sqlite/connector.h"
#include "failure.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

class SqliteBulkTest : public testing::Test {
 protected:
  SqliteBulkTest() {
    ConnectionSettings settings;
    settings.name = "main";
    settings.options["path"] = ":memory:";
    settings.access = AccessMode::Create;
    connection_ = make_sqlite_connector()->connect(settings);
  }
  static Chunk chunk() {
    Chunk chunk;
    chunk.rows = 2;
    const auto add = [&](TypeKind kind, const std::vector<Value>& values) {
      ColumnChunk& column = chunk.columns.emplace_back();
      column.start(kind);
      for (const Value& value : values) {
        EXPECT_TRUE(add_value(column, value));
      }
    };
    add(TypeKind::Int32, {std::int64_t{1}, std::int64_t{2}});
    add(TypeKind::Boolean, {true, std::monostate()});
    add(TypeKind::Numeric, {"1.50", "12345678901.5"});
    add(TypeKind::Date, {"2027-03-14", "infinity"});
    add(TypeKind::Timestamp, {"2027-03-14 08:15:02.5", "1969-12-31T23:59:59"});
    add(TypeKind::TimestampTz, {"2027-03-14 08:15:02+02", std::monostate()});
    add(TypeKind::Blob, {Bytes{std::byte{0}}, Bytes{}});
    add(TypeKind::Text, {"it's", ""});
    return chunk;
  }
  std::string texts(const std::string& sql) {
    std::string result;
    for (const Row& row : connection_->query(sql).rows) {
      for (const Value& value : row) {
        result += (is_null(value) ? "NULL" : to_text(value)) + "|";
      }
    }
    return result;
  }
  std::unique_ptr<Connection> connection_;
  const BulkTarget target_{{Identifier(), Identifier("my table")},
                           {"a", "b", "c", "d", "e", "f", "g", "h"}};
};

TEST_F(SqliteBulkTest, WritesTheFormsOfTheSpec) {
  connection_->execute(
      "CREATE TABLE \"my table\" (h TEXT, a INTEGER, b BOOLEAN, c DECIMAL(5,2), d DATE, e "
      "TIMESTAMP, "
      "f TIMESTAMPTZ, g BLOB, z DEFAULT 7)");
  const auto writer = open_writer(*connection_, target_);
  writer->write(chunk());
  EXPECT_EQ(writer->finish(), 2);
  EXPECT_EQ(texts("SELECT a, b, c, d, e, f, hex(g), h, z, typeof(c) FROM \"my table\""),
            "1|1|1.5|2027-03-14|2027-03-14 08:15:02.5|2027-03-14 06:15:02+00|00|it's|7|real|"
            "2|NULL|12345678901.5|infinity|1969-12-31 23:59:59|NULL|||7|real|");
  EXPECT_FALSE(connection_->in_transaction());
}

TEST_F(SqliteBulkTest, LeavesNothingWithoutFinish) {
  connection_->execute("CREATE TABLE \"my table\" (a, b, c, d, e, f, g, h)");
  { open_writer(*connection_, target_)->write(chunk()); }
  EXPECT_EQ(texts("SELECT count(*) FROM \"my table\""), "0|");
  EXPECT_FALSE(connection_->in_transaction());
}

TEST_F(SqliteBulkTest, ReportsAConstraintAndAMissingTable) {
  EXPECT_EQ(failure_of([&] { open_writer(*connection_, target_); }).failure(),
            FailureClass::Schema);
  EXPECT_FALSE(connection_->in_transaction());
  connection_->execute("CREATE TABLE \"my table\" (a PRIMARY KEY, b NOT NULL, c, d, e, f, g, h)");
  const auto error = failure_of([&] { open_writer(*connection_, target_)->write(chunk()); });
  EXPECT_EQ(error.failure(), FailureClass::Data);
}

TEST_F(SqliteBulkTest, RefusesAStorageClassThatIsNotTheColumns) {
  connection_->execute("CREATE TABLE t (n BIGINT); INSERT INTO t VALUES (1), ('x')");
  const auto error = failure_of(
      [&] { read_chunks(*connection_, "SELECT n FROM t", [](const Chunk&) { return true; }); });
  EXPECT_EQ(error.failure(), FailureClass::Data);
  EXPECT_NE(std::string(error.what()).find("row 2, column 'n'"), std::string::npos);
  ReadOptions options;
  options.kinds = {TypeKind::Text};
  read_chunks(
      *connection_, "SELECT n FROM t",
      [](const Chunk& chunk) {
        EXPECT_EQ(chunk.columns[0].text(0), "1");
        EXPECT_EQ(chunk.columns[0].text(1), "x");
        return true;
      },
      options);
}

}  // namespace
}  // namespace kedge::db
