// The table of spec/contracts.md 5.3, row by row.
#include <gtest/gtest.h>

#include "dialect/dialect.h"

namespace kedge::dialect {
namespace {

struct Row {
  const char* dialect;
  const char* native;
  const char* landed;  // canonical text
};

const Row kRows[] = {
    {"postgres", "boolean", "boolean"},
    {"postgres", "smallint", "int16"},
    {"postgres", "oid", "int64"},
    {"postgres", "real", "real4"},
    {"postgres", "numeric(12,3)", "numeric(12,3)"},
    {"postgres", "numeric", "numeric(38,9)"},
    {"postgres", "numeric(50,2)", "numeric(38,9)"},
    {"postgres", "citext", "text"},
    {"postgres", "xml", "text"},
    {"postgres", "character varying(11)", "text(11)"},
    {"postgres", "character(3)", "text(3)"},
    {"postgres", "bytea", "blob"},
    {"postgres", "timestamp(3) without time zone", "timestamp"},
    {"postgres", "timestamp with time zone", "timestamp(tz)"},
    {"postgres", "jsonb", "json"},
    {"postgres", "integer[]", "array(int32)"},
    {"sqlite", "BOOLEAN", "boolean"},
    {"sqlite", "INTEGER", "int64"},
    {"sqlite", "TINYINT", "int64"},
    {"sqlite", "DOUBLE PRECISION", "real8"},
    {"sqlite", "NUMERIC", "real8"},
    {"sqlite", "DECIMAL(10,2)", "numeric(10,2)"},
    {"sqlite", "NUMERIC(10)", "numeric(10,0)"},
    {"sqlite", "", "text"},
    {"sqlite", "VARCHAR(5)", "text(5)"},
    {"sqlite", "BLOB", "blob"},
    {"sqlite", "DATETIME", "timestamp"},
    {"sqlite", "TIMESTAMPTZ", "timestamp(tz)"},
    {"sqlite", "UUID", "uuid"},
    {"mysql", "tinyint(1)", "boolean"},
    {"mysql", "bit(1)", "boolean"},
    {"mysql", "bit(8)", "blob"},
    {"mysql", "tinyint(3) unsigned", "uint8"},
    {"mysql", "mediumint", "int32"},
    {"mysql", "year(4)", "int32"},
    {"mysql", "bigint(20) unsigned", "uint64"},
    {"mysql", "decimal(50,2)", "numeric(38,9)"},
    {"mysql", "enum('a','b')", "text"},
    {"mysql", "varbinary(3)", "blob"},
    {"mysql", "datetime(3)", "timestamp"},
    {"mysql", "timestamp", "timestamp(tz)"},
    {"mysql", "json", "json"},
    {"sqlserver", "bit", "boolean"},
    {"sqlserver", "tinyint", "uint8"},
    {"sqlserver", "float", "real8"},
    {"sqlserver", "float(24)", "real4"},
    {"sqlserver", "money", "numeric(19,4)"},
    {"sqlserver", "nvarchar(max)", "text"},
    {"sqlserver", "nvarchar(30)", "text(30)"},
    {"sqlserver", "rowversion", "blob"},
    {"sqlserver", "datetime2(7)", "timestamp"},
    {"sqlserver", "datetimeoffset", "timestamp(tz)"},
    {"sqlserver", "uniqueidentifier", "uuid"},
    {"duckdb", "DECIMAL(18,3)", "numeric(18,3)"},
    {"duckdb", "TIMESTAMP_NS", "timestamp(9)"},
};

TEST(DuckdbTypeTest, EveryRowOfTheTableLandsAsItSays) {
  for (const Row& row : kRows) {
    const schema::Type type = to_duckdb(row.dialect, row.native);
    EXPECT_EQ(schema::to_string(type), row.landed) << row.dialect << " " << row.native;
    EXPECT_EQ(type.native, "") << row.native;
  }
}

TEST(DuckdbTypeTest, ADomainLandsAsItsBaseType) {
  schema::Type domain;
  domain.kind = schema::TypeKind::Domain;
  domain.native = "positive";
  domain.element.push_back(get_dialect(schema::Dialect::Postgres).parse_type("integer"));
  EXPECT_EQ(schema::to_string(to_duckdb(schema::Dialect::Postgres, domain)), "int32");
}

}  // namespace
}  // namespace kedge::dialect
