#include "db/bulk.h"

#include <gtest/gtest.h>

#include "failure.h"
#include "servers.h"

namespace kedge::db {
namespace {

using schema::TypeKind;
using test::failure_of;

class PostgresBulkTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_ = test::PostgresServer::shared().database();
    source_ = test::ScratchServer::connect(settings_);
    destination_ = test::ScratchServer::connect(settings_);
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
  ConnectionSettings settings_;
  std::unique_ptr<Connection> source_;
  std::unique_ptr<Connection> destination_;
};

constexpr const char* kColumns =
    "a boolean, b smallint, c int, d bigint, e real, f double precision, g numeric, h "
    "numeric(12,3), "
    "i text, j varchar(80), k char(5), l bytea, m date, n time, o timestamp, p timestamptz, q "
    "uuid, "
    "r json, s jsonb, t mood, u age";
constexpr const char* kRows =
    "(true, -32768, 2147483647, -9223372036854775808, 1.5, -2.25e300, 'NaN', -123456789.125, "
    "E'h\\u00e4\\tf\\\\en\\n', 'it''s', 'ab', '\\x00ff', '2027-03-14', '08:15:02.000117', "
    "'1969-12-31 23:59:59.999999', '2027-03-14 08:15:02+02', "
    "'eeccb8c5-9943-b2bb-bb5e-222f4e14b687', "
    "'{\"k\": [1]}', '{\"k\": [1]}', 'fine', 7), "
    "(false, 0, 0, 0, 'NaN', '-infinity', 12345678901234567890.00010, 0.001, '', '', '', '', "
    "'infinity', '24:00', '-infinity', 'infinity', '00000000-0000-0000-0000-000000000000', 'null', "
    "'1', 'ok', -1), "
    "(NULL, NULL, NULL, NULL, NULL, NULL, 0.0000001, 1000, NULL, NULL, NULL, NULL, '0044-03-15 "
    "BC', "
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), "
    "(NULL, NULL, NULL, NULL, NULL, NULL, 10000, -0.010, NULL, NULL, NULL, NULL, NULL, "
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

TEST_F(PostgresBulkTest, CarriesEveryType) {
  source_->execute("CREATE TYPE mood AS ENUM ('ok', 'fine'); CREATE DOMAIN age AS int");
  source_->execute("CREATE TABLE s (" + std::string(kColumns) + "); CREATE TABLE t (LIKE s)");
  source_->execute("INSERT INTO s VALUES " + std::string(kRows));
  std::vector<std::string> names;
  for (const ResultColumn& column : source_->describe("SELECT * FROM s")) {
    names.push_back(column.name);
  }

  EXPECT_EQ(copy_rows(*source_, "SELECT * FROM s;", *destination_, target(names)), 4);

  EXPECT_EQ(texts("SELECT count(*) FROM (SELECT one::text FROM s AS one EXCEPT ALL SELECT "
                  "two::text FROM t AS two) x"),
            "0|");
  EXPECT_EQ(texts("SELECT g::text FROM t ORDER BY g DESC LIMIT 1"), "NaN|");
}

// numeric(p,s) of up to 18 digits travels as an integer, both ways and within postgres.
TEST_F(PostgresBulkTest, CarriesDecimalsOfEveryScale) {
  source_->execute(
      "CREATE TABLE s (a numeric(4,0), b numeric(9,1), c numeric(18,4), d numeric(18,18), e "
      "numeric(12,5), f numeric(30,3)); CREATE TABLE t (LIKE s); INSERT INTO s VALUES (9999, "
      "-0.1, 99999999999999.9999, 0.999999999999999999, 1200000.00001, 1234567890123456789.125), "
      "(-10000 + 1, 12345678.9, -1.0001, -0.000000000000000001, 0, -0.001), (0, 0, 10000, 0, "
      "-0.5, 0), (NULL, NULL, NULL, NULL, NULL, NULL)");
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  const auto between = test::make_test_registry().connect(
      {"main", "duckdb", {{"path", ":memory:"}}, {}, AccessMode::Create});
  between->execute(
      "CREATE TABLE t (a DECIMAL(4,0), b DECIMAL(9,1), c DECIMAL(18,4), d DECIMAL(18,18), e "
      "DECIMAL(14,7), f DECIMAL(30,3))");

  EXPECT_EQ(copy_rows(*source_, "SELECT * FROM s", *between, target(names)), 4);
  EXPECT_EQ(copy_rows(*between, "SELECT * FROM t", *destination_, target(names)), 4);
  EXPECT_EQ(copy_rows(*source_, "SELECT * FROM s", *destination_, target(names)), 4);

  EXPECT_EQ(texts("SELECT count(*) FROM (SELECT one::text FROM s AS one EXCEPT ALL SELECT "
                  "two::text FROM t AS two) x"),
            "0|");
  EXPECT_EQ(texts("SELECT count(*) FROM (SELECT two::text FROM t AS two EXCEPT SELECT one::text "
                  "FROM s AS one) x"),
            "0|");
}

TEST_F(PostgresBulkTest, NeverRoundsAScaledDecimal) {
  destination_->execute("CREATE TABLE t (a numeric(9,1))");
  const auto between = test::make_test_registry().connect(
      {"main", "duckdb", {{"path", ":memory:"}}, {}, AccessMode::Create});
  EXPECT_EQ(copy_rows(*between, "SELECT 1.500::DECIMAL(9,3) AS a", *destination_, target({"a"})),
            1);
  const Error error = failure_of([&] {
    copy_rows(*between, "SELECT 1.505::DECIMAL(9,3) AS a", *destination_, target({"a"}));
  });
  EXPECT_NE(std::string(error.what()).find("row 1, column 'a'"), std::string::npos);
  EXPECT_EQ(texts("SELECT a::text FROM t"), "1.5|");
}

TEST_F(PostgresBulkTest, FallsBackToTextForOtherTypes) {
  source_->execute(
      "CREATE TABLE s (a int[], b interval, c inet, d int4range, e text, f bytea); CREATE TABLE t "
      "(LIKE s); INSERT INTO s VALUES ('{1,NULL,3}', '1 day 02:03:04.5', '10.0.0.1/8', '[1,5)', "
      "E'tab\\tback\\\\slash\\nline\\\\N', '\\x5c00'), (NULL, NULL, NULL, NULL, '\\N', NULL)");
  copy_rows(*source_, "SELECT * FROM s", *destination_, target({"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(texts("SELECT count(*) FROM (SELECT one::text FROM s AS one EXCEPT ALL SELECT "
                  "two::text FROM t AS two) x"),
            "0|");
}

TEST_F(PostgresBulkTest, KeepsRowsOverManyChunks) {
  source_->execute("CREATE TABLE t (i bigint, s text, d int DEFAULT 7)");
  EXPECT_EQ(copy_rows(*source_, "SELECT 'row ' || i, i FROM generate_series(0, 100000) i",
                      *destination_, target({"s", "i"})),
            100001);
  EXPECT_EQ(texts("SELECT count(*), sum(i), count(DISTINCT s), sum(d) FROM t"),
            "100001|5000050000|100001|700007|");
}

TEST_F(PostgresBulkTest, RefusesWhatDoesNotFit) {
  struct Case {
    const char* type;
    const char* expression;
  };
  for (const Case& test :
       {Case{"smallint", "70000"}, Case{"numeric(6,2)", "20.205"}, Case{"int", "'x'::text"},
        Case{"real", "1e300::float8"}, Case{"uuid", "'x'::text"}, Case{"varchar(2)", "'abc'::text"},
        Case{"numeric(4,2)", "123.4"},
        Case{"timestamp(0)", "'2027-01-01 00:00:00.5'::timestamp"}}) {
    destination_->execute("DROP TABLE IF EXISTS t; CREATE TABLE t (c " + std::string(test.type) +
                          ")");
    const auto error = failure_of([&] {
      copy_rows(*source_, "SELECT 1::int WHERE false", *destination_, target({"c"}));
      copy_rows(*source_, "SELECT " + std::string(test.expression), *destination_, target({"c"}));
    });
    EXPECT_EQ(error.failure(), FailureClass::Data) << test.type << " " << test.expression;
    EXPECT_EQ(texts("SELECT count(*) FROM t"), "0|") << test.type;
  }
}

TEST_F(PostgresBulkTest, GivesUpWhatWasWrittenWithoutFinish) {
  destination_->execute("CREATE TABLE t (i int)");
  {
    const auto writer = open_writer(*destination_, target({"i"}));
    read_chunks(*source_, "SELECT generate_series(1, 100000)", [&](const Chunk& chunk) {
      writer->write(chunk);
      return true;
    });
  }
  EXPECT_EQ(texts("SELECT count(*) FROM t"), "0|");
}

TEST_F(PostgresBulkTest, ReportsAConstraintInTheMiddle) {
  destination_->execute("CREATE TABLE t (i int PRIMARY KEY)");
  const auto error = failure_of([&] {
    copy_rows(*source_, "SELECT i % 150000 FROM generate_series(1, 200000) i", *destination_,
              target({"i"}));
  });
  EXPECT_EQ(error.failure(), FailureClass::Data);
  EXPECT_EQ(error.native_code(), "23505");
  EXPECT_EQ(texts("SELECT count(*) FROM t"), "0|");
}

TEST_F(PostgresBulkTest, ReadsOnAReadOnlyConnectionButWritesNothing) {
  source_->execute("CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
  ConnectionSettings settings = settings_;
  settings.access = AccessMode::ReadOnly;
  const auto reader = test::ScratchServer::connect(settings);
  std::size_t rows = 0;
  read_chunks(*reader, "SELECT * FROM t -- all", [&](const Chunk& chunk) {
    rows += chunk.rows;
    return true;
  });
  EXPECT_EQ(rows, 1U);
  EXPECT_EQ(failure_of([&] { open_writer(*reader, target({"i"})); }).code(), codes::ERR_READ_ONLY);
  EXPECT_THROW(
      read_chunks(*reader, "SELECT 1) TO PROGRAM 'true' --", [](const Chunk&) { return true; }),
      Error);
}

TEST_F(PostgresBulkTest, StopsEarlyAndDeliversTheKindsAskedFor) {
  ReadOptions options;
  options.rows = 10;
  options.kinds = {TypeKind::Text, TypeKind::Int64, TypeKind::Date};
  std::size_t calls = 0;
  const auto columns = read_chunks(
      *source_, "SELECT i, i::text, '2027-03-14'::text FROM generate_series(1, 100000) i",
      [&](const Chunk& chunk) {
        EXPECT_EQ(chunk.rows, 10U);
        EXPECT_EQ(chunk.columns[0].text(9), "10");
        EXPECT_EQ(chunk.columns[1].integers[9], 10);
        EXPECT_EQ(chunk.columns[2].integers[9], 20891);
        return ++calls < 1;
      },
      options);
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(columns[0].native_type, "integer");
  EXPECT_EQ(to_text(source_->query("SELECT 1").rows[0][0]), "1");
}

}  // namespace
}  // namespace kedge::db
