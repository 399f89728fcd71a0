// The table of spec/models.md 7, row by row.
#include "dialect/buckets.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "dialect/dialect.h"

namespace kedge::dialect {
namespace {

using C = ColumnClass;

struct Row {
  const char* dialect;
  C expected;
  const char* names;  // separated by ';'
};

const Row kRows[] = {
    {"sqlite", C::Int, "INTEGER;int;BIGINT;UNSIGNED BIG INT;NUMERIC(10,0);DECIMAL(5)"},
    {"sqlite", C::Double, "REAL;FLOAT;DOUBLE PRECISION;DECIMAL(10,2);NUMERIC;MONEY"},
    {"sqlite", C::Boolean, "BOOL;BOOLEAN;boolean"},
    {"sqlite", C::Date, "DATE;date"},
    {"sqlite", C::Timestamp, "TIMESTAMP;TIMESTAMPTZ;DATETIME;datetime(6);TIME"},
    {"sqlite", C::Text, "VARCHAR(20);TEXT;CLOB;NCHAR(3);STRING;UUID;JSON"},
    {"sqlite", C::Undetermined, ";BLOB;ANY;geometry"},
    {"duckdb", C::Int, "TINYINT;HUGEINT;UBIGINT;DECIMAL(10,0)"},
    {"duckdb", C::Double, "FLOAT;REAL;DOUBLE;DECIMAL(18,3)"},
    {"duckdb", C::Boolean, "BOOLEAN"},
    {"duckdb", C::Date, "DATE"},
    {"duckdb", C::Timestamp, "TIMESTAMP;TIMESTAMP_NS;TIMESTAMP WITH TIME ZONE;TIME"},
    {"duckdb", C::Text,
     "VARCHAR;UUID;ENUM('a', 'b');JSON;BLOB;BIT;INTERVAL;INTEGER[];STRUCT(a INTEGER);"
     "MAP(VARCHAR, INTEGER);UNION(a INTEGER)"},
    {"postgres", C::Int, "smallint;integer;bigint;int8;bigserial;oid;numeric(12,0)"},
    {"postgres", C::Double, "real;double precision;numeric;numeric(10,2);money"},
    {"postgres", C::Boolean, "boolean;bool"},
    {"postgres", C::Date, "date"},
    {"postgres", C::Timestamp,
     "timestamp without time zone;timestamp(3) with time zone;time without time zone;timetz"},
    {"postgres", C::Text,
     "text;character varying(20);uuid;json;jsonb;xml;bytea;bit(3);inet;interval;integer[];"
     "int4range;citext"},
    {"mysql", C::Int, "tinyint;tinyint(4);int(10) unsigned;bigint;year(4);decimal(10,0)"},
    {"mysql", C::Double, "decimal(10,2);float;double unsigned"},
    {"mysql", C::Boolean, "tinyint(1);bit(1)"},
    {"mysql", C::Date, "date"},
    {"mysql", C::Timestamp, "datetime;datetime(3);timestamp;time"},
    {"mysql", C::Text, "varchar(20);text;blob;binary(3);enum('a','b');set('a');json;bit(8);point"},
    {"clickhouse", C::Int, "Int8;UInt256;Nullable(Int32);LowCardinality(Nullable(UInt8))"},
    {"clickhouse", C::Double, "Float64;Decimal(10, 2);Decimal128(3);Nullable(Decimal(9, 0))"},
    {"clickhouse", C::Boolean, "Bool"},
    {"clickhouse", C::Date, "Date;Date32"},
    {"clickhouse", C::Timestamp,
     "DateTime;DateTime64(3, 'UTC');SimpleAggregateFunction(max, DateTime)"},
    {"clickhouse", C::Text,
     "String;FixedString(3);Enum8('a' = 1);UUID;IPv4;Array(Int32);Map(String, Int32);JSON;"
     "LowCardinality(String);IntervalDay"},
    {"clickhouse", C::Undetermined, "AggregateFunction(sum, Int32)"},
    {"bigquery", C::Int, "INT64"},
    {"bigquery", C::Double, "FLOAT64;NUMERIC;BIGNUMERIC(10,0)"},
    {"bigquery", C::Boolean, "BOOL"},
    {"bigquery", C::Timestamp, "DATETIME;TIMESTAMP;TIME"},
    {"bigquery", C::Text, "STRING;BYTES;JSON;GEOGRAPHY;INTERVAL;ARRAY<INT64>;STRUCT<a INT64>"},
    {"snowflake", C::Int, "NUMBER(38,0);NUMBER(10);INTEGER;byteint"},
    {"snowflake", C::Double, "NUMBER(10,2);FLOAT;DOUBLE;REAL"},
    {"snowflake", C::Boolean, "BOOLEAN"},
    {"snowflake", C::Timestamp, "TIMESTAMP_NTZ(9);TIMESTAMP_TZ;DATETIME;TIME(9)"},
    {"snowflake", C::Text, "VARCHAR(16777216);BINARY;VARIANT;OBJECT;ARRAY;GEOGRAPHY"},
    {"sqlserver", C::Int, "tinyint;bigint;decimal(18,0)"},
    {"sqlserver", C::Double, "decimal(18,2);numeric(10,4);money;smallmoney;float;real"},
    {"sqlserver", C::Boolean, "bit"},
    {"sqlserver", C::Timestamp, "datetime;datetime2(7);smalldatetime;datetimeoffset;time"},
    {"sqlserver", C::Text, "nvarchar(max);uniqueidentifier;xml;rowversion;timestamp;varbinary(8)"},
};

TEST(BucketsTest, EveryNameOfTheTableHasItsClass) {
  for (const Row& row : kRows) {
    for (const std::string& name : base::split(row.names, ';')) {
      EXPECT_EQ(column_class(row.dialect, name), row.expected) << row.dialect << " " << name;
    }
  }
}

TEST(BucketsTest, OtherNamesOfADialectShareItsRow) {
  EXPECT_EQ(column_class("MariaDB", "tinyint(1)"), C::Boolean);
  EXPECT_EQ(column_class("d1", "BLOB"), C::Undetermined);
  EXPECT_EQ(column_class("db2", "INTEGER"), C::Int);
}

TEST(BucketsTest, SixClassesCollapseToFourBuckets) {
  EXPECT_EQ(bucket_of(C::Int), schema::Bucket::Number);
  EXPECT_EQ(bucket_of(C::Double), schema::Bucket::Number);
  EXPECT_EQ(bucket_of(C::Date), schema::Bucket::Temporal);
  EXPECT_EQ(bucket_of(C::Timestamp), schema::Bucket::Temporal);
  EXPECT_EQ(bucket_of("postgres", "text"), schema::Bucket::String);
  EXPECT_EQ(bucket_of("sqlite", ""), schema::Bucket::Undetermined);
}

TEST(BucketsTest, ADomainCountsAsItsBaseTypeAndAnEnumAsText) {
  const Dialect& postgres = get_dialect(schema::Dialect::Postgres);
  schema::Type domain;
  domain.kind = schema::TypeKind::Domain;
  domain.native = "positive";
  domain.element.push_back(postgres.parse_type("integer"));
  EXPECT_EQ(bucket_of(schema::Dialect::Postgres, domain), schema::Bucket::Number);
  schema::Type mood;
  mood.kind = schema::TypeKind::Enum;
  mood.native = "date";  // a type of that name in another schema
  EXPECT_EQ(bucket_of(schema::Dialect::Postgres, mood), schema::Bucket::String);
}

TEST(BucketsTest, ATypeWithoutSpellingGoesByItsKind) {
  schema::Type type;
  EXPECT_EQ(bucket_of(schema::Dialect::Sqlite, type), schema::Bucket::Undetermined);
  type.kind = schema::TypeKind::TimestampTz;
  EXPECT_EQ(bucket_of(schema::Dialect::Sqlite, type), schema::Bucket::Temporal);
}

}  // namespace
}  // namespace kedge::dialect
