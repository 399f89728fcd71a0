#include "db/bulk.h"

#include <gtest/gtest.h>

#include "db/duckdb/connector.h"
#include "failure.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

class DuckdbBulkTest : public testing::Test {
 protected:
  DuckdbBulkTest() : source_(open()), destination_(open()) {}
  static std::unique_ptr<Connection> open() {
    ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "duckdb";
    settings.options["path"] = ":memory:";
    settings.access = AccessMode::Create;
    return make_duckdb_connector()->connect(settings);
  }
  static BulkTarget target(std::vector<std::string> columns) {
    return {{Identifier(), Identifier("t")}, std::move(columns)};
  }
  std::string texts(const std::string& sql) {
    std::string result;
    for (const Row& row : destination_->query(sql).rows) {
      for (const Value& value : row) {
        result += (is_null(value) ? "NULL" : to_text(value)) + "|";
      }
    }
    return result;
  }
  std::unique_ptr<Connection> source_;
  std::unique_ptr<Connection> destination_;
};

// Every type goes out and in again unchanged: compared by DuckDB's own text.
TEST_F(DuckdbBulkTest, CarriesEveryType) {
  const std::string columns =
      "a BOOLEAN, b TINYINT, c SMALLINT, d INTEGER, e BIGINT, f HUGEINT, g UTINYINT, h USMALLINT, "
      "i UINTEGER, j UBIGINT, k FLOAT, l DOUBLE, m DECIMAL(4,1), n DECIMAL(9,2), o DECIMAL(18,3), "
      "p DECIMAL(38,9), q VARCHAR, r BLOB, s DATE, t TIME, u TIMESTAMP, v TIMESTAMPTZ, w UUID, "
      "x INTERVAL, y INTEGER[], z STRUCT(a INTEGER), aa ENUM('x','y'), bb JSON, cc TIMESTAMP_S, "
      "dd TIMESTAMP_MS, ee TIMESTAMP_NS, ff BIT, gg VARCHAR[]";
  const std::string rows =
      "(true, -128, -32768, 2147483647, -9223372036854775808, "
      "170141183460469231731687303715884105727, 255, 65535, 4294967295, 18446744073709551615, 1.5, "
      "-2.25e300, -999.9, 1234567.89, -123456789012345.678, "
      "12345678901234567890123456789.123456789, "
      "'hä''fen with more than twelve bytes', '\\x00\\xFF'::BLOB, '2027-03-14', '08:15:02.000117', "
      "'1969-12-31 23:59:59.999999', '2027-03-14 08:15:02+02', "
      "'eeccb8c5-9943-b2bb-bb5e-222f4e14b687', "
      "'1 year 3 days', [1, NULL, 3], {'a': 7}, 'y', '{\"k\": [1]}', '2027-03-14 08:15:02', "
      "'2027-03-14 08:15:02.123', '2027-03-14 08:15:02.123456', '0101', ['a, b', 'c'])";
  for (Connection* connection : {source_.get(), destination_.get()}) {
    connection->execute("CREATE TABLE t (" + columns + ")");
  }
  source_->execute("INSERT INTO t VALUES " + rows + "; INSERT INTO t (a) VALUES (NULL)");
  std::vector<std::string> names;
  for (const ResultColumn& column : source_->describe("SELECT * FROM t")) {
    names.push_back(column.name);
  }

  EXPECT_EQ(copy_rows(*source_, "SELECT * FROM t", *destination_, target(names)), 2);

  const ResultSet before = source_->query("SELECT * FROM t");
  const ResultSet after = destination_->query("SELECT * FROM t");
  ASSERT_EQ(after.rows.size(), 2U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(to_text(after.rows[0][i]), to_text(before.rows[0][i])) << names[i];
    EXPECT_TRUE(is_null(after.rows[1][i])) << names[i];
  }
}

TEST_F(DuckdbBulkTest, KeepsRowsOverManyChunks) {
  destination_->execute("CREATE TABLE t (i BIGINT, s VARCHAR)");
  ReadOptions options;
  options.rows = 3000;
  std::size_t chunks = 0;
  const auto writer = open_writer(*destination_, target({"s", "i"}));
  read_chunks(
      *source_, "SELECT 'row ' || i, i FROM range(50001) t(i)",
      [&](const Chunk& chunk) {
        ++chunks;
        writer->write(chunk);
        return true;
      },
      options);
  EXPECT_EQ(writer->finish(), 50001);
  EXPECT_GT(chunks, 10U);
  EXPECT_EQ(texts("SELECT count(*), sum(i), count(DISTINCT s), max(i) FROM t"),
            "50001|1250025000|50001|50000|");
}

TEST_F(DuckdbBulkTest, FillsOtherColumnsWithDefaults) {
  destination_->execute("CREATE TABLE t (i INTEGER, d INTEGER DEFAULT 7, s VARCHAR)");
  copy_rows(*source_, "SELECT 'x', 1", *destination_, target({"s", "i"}));
  EXPECT_EQ(texts("SELECT * FROM t"), "1|7|x|");
}

TEST_F(DuckdbBulkTest, RefusesWhatDoesNotFit) {
  struct Case {
    const char* type;
    const char* expression;
  };
  for (const Case& test :
       {Case{"TINYINT", "300::INTEGER"}, Case{"UINTEGER", "(-1)::BIGINT"},
        Case{"DECIMAL(6,2)", "20.205::DECIMAL(9,3)"}, Case{"DECIMAL(4,2)", "123.4::DECIMAL(9,3)"},
        Case{"DECIMAL(4,2)", "123::INTEGER"}, Case{"FLOAT", "1e300::DOUBLE"},
        Case{"INTEGER", "'x'"}, Case{"DATE", "'2027-02-30'"}}) {
    destination_->execute("CREATE OR REPLACE TABLE t (c " + std::string(test.type) + ")");
    const auto error = failure_of([&] {
      Transaction transaction(*destination_);
      copy_rows(*source_, "SELECT " + std::string(test.expression), *destination_, target({"c"}));
    });
    EXPECT_EQ(error.failure(), FailureClass::Data) << test.type << " " << test.expression;
    EXPECT_EQ(texts("SELECT count(*) FROM t"), "0|") << test.type << " " << test.expression;
  }
}

TEST_F(DuckdbBulkTest, LandsDecimalsOfFewerDigitsExactly) {
  destination_->execute("CREATE TABLE t (c DECIMAL(12,3))");
  copy_rows(*source_, "SELECT * FROM (VALUES ('1.5'), ('-0.001'), ('7'), ('2.5000'), ('+12'))",
            *destination_, target({"c"}));
  EXPECT_EQ(texts("SELECT * FROM t"), "1.500|-0.001|7.000|2.500|12.000|");
}

TEST_F(DuckdbBulkTest, DeliversTheKindsAskedFor) {
  ReadOptions options;
  options.kinds = {TypeKind::Int64, TypeKind::Date, TypeKind::Boolean, TypeKind::Text};
  read_chunks(
      *source_, "SELECT '42', '2027-03-14', 'true', 7",
      [&](const Chunk& chunk) {
        EXPECT_EQ(chunk.columns.at(0).integers.at(0), 42);
        EXPECT_EQ(chunk.columns.at(1).integers.at(0), 20891);
        EXPECT_EQ(chunk.columns.at(2).integers.at(0), 1);
        EXPECT_EQ(chunk.columns.at(3).text(0), "7");
        return true;
      },
      options);
  options.kinds = {TypeKind::Int64};
  const auto error = failure_of([&] {
    read_chunks(
        *source_, "SELECT '4.5' AS c", [](const Chunk&) { return true; }, options);
  });
  EXPECT_EQ(error.failure(), FailureClass::Data);
  EXPECT_NE(std::string(error.what()).find("row 1, column 'c'"), std::string::npos);
}

TEST_F(DuckdbBulkTest, NamesAMissingTableOrColumn) {
  EXPECT_THROW(open_writer(*destination_, target({"a"})), Error);
  destination_->execute("CREATE TABLE t (a INTEGER)");
  EXPECT_THROW(open_writer(*destination_, target({"b"})), Error);
}

}  // namespace
}  // namespace kedge::db
