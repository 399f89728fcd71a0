// Native spelling to canonical type, and canonical type to the spelling used in DDL
// (spec/metadata.md 3.1).
#include <gtest/gtest.h>

#include "dialect/dialect.h"

namespace kedge::dialect {
namespace {

using schema::Dialect;

struct Row {
  Dialect dialect;
  const char* native;
  const char* canonical;
};

const Row kReading[] = {
    {Dialect::Postgres, "text", "text"},
    {Dialect::Postgres, "character varying(20)", "text(20)"},
    {Dialect::Postgres, "character varying", "text"},
    {Dialect::Postgres, "character(3)", "char(3)"},
    {Dialect::Postgres, "bpchar", "char"},
    {Dialect::Postgres, "\"char\"", "native(\"char\")"},
    {Dialect::Postgres, "smallint", "int16"},
    {Dialect::Postgres, "bigserial", "int64"},
    {Dialect::Postgres, "numeric(5,2)", "numeric(5,2)"},
    {Dialect::Postgres, "numeric(5)", "numeric(5,0)"},
    {Dialect::Postgres, "numeric", "numeric"},
    {Dialect::Postgres, "timestamp(3) without time zone", "timestamp(3)"},
    {Dialect::Postgres, "timestamp with time zone", "timestamp(tz)"},
    {Dialect::Postgres, "time(0) with time zone", "time(tz,0)"},
    {Dialect::Postgres, "interval day to second(3)", "interval(3)"},
    {Dialect::Postgres, "jsonb", "json"},
    {Dialect::Postgres, "bit(8)", "bit(8)"},
    {Dialect::Postgres, "numeric(5,2)[]", "array(numeric(5,2))"},
    {Dialect::Postgres, "citext", "native(citext)"},
    {Dialect::Postgres, "app.\"My Type\"", "native(app.\"My Type\")"},
    {Dialect::Postgres, "geometry(Point,4326)", "native(geometry(Point,4326))"},
    {Dialect::Sqlite, "INTEGER", "int64"},
    {Dialect::Sqlite, "VARCHAR(12)", "text(12)"},
    {Dialect::Sqlite, "NUMERIC(5,2)", "numeric(5,2)"},
    {Dialect::Sqlite, "DOUBLE", "real8"},
    {Dialect::Sqlite, "DATETIME", "timestamp"},
    {Dialect::Sqlite, "", "unknown"},
    {Dialect::Sqlite, "ANY", "native(ANY)"},
    {Dialect::Duckdb, "VARCHAR", "text"},
    {Dialect::Duckdb, "DECIMAL(18,3)", "numeric(18,3)"},
    {Dialect::Duckdb, "TIMESTAMP WITH TIME ZONE", "timestamp(tz)"},
    {Dialect::Duckdb, "TIMESTAMP_MS", "timestamp(3)"},
    {Dialect::Duckdb, "UHUGEINT", "uint128"},
    {Dialect::Duckdb, "INTEGER[][]", "array(array(int32))"},
    {Dialect::Duckdb, "INTEGER[3]", "array(int32)"},
    {Dialect::Duckdb, "ENUM('a', 'it''s')", "enum('a','it''s')"},
    {Dialect::Duckdb, "STRUCT(a INTEGER, b VARCHAR[])", "native(STRUCT(a INTEGER, b VARCHAR[]))"},
    {Dialect::Mysql, "int(11)", "int32"},
    {Dialect::Mysql, "int(10) unsigned", "uint32"},
    {Dialect::Mysql, "tinyint(1)", "boolean"},
    {Dialect::Mysql, "tinyint(4)", "int8"},
    {Dialect::Mysql, "decimal(10,2)", "numeric(10,2)"},
    {Dialect::Mysql, "decimal(10,2) unsigned", "numeric(10,2)"},
    {Dialect::Mysql, "varchar(20)", "text(20)"},
    {Dialect::Mysql, "mediumtext", "text"},
    {Dialect::Mysql, "datetime(3)", "timestamp(3)"},
    {Dialect::Mysql, "timestamp", "timestamp(tz)"},
    {Dialect::Mysql, "enum('a','b,c')", "enum('a','b,c')"},
    {Dialect::Mysql, "set('a','b')", "native(set('a','b'))"},
    {Dialect::Ansi, "VARCHAR2(10)", "text(10)"},
    {Dialect::Ansi, "double precision", "real8"},
};

TEST(TypesTest, NativeNamesReadAsTheirCanonicalType) {
  for (const Row& row : kReading) {
    EXPECT_EQ(schema::to_string(get_dialect(row.dialect).parse_type(row.native)), row.canonical)
        << row.native;
  }
}

TEST(TypesTest, AnIntrospectedTypeIsWrittenAsItsServerSpellsIt) {
  for (const Row& row : kReading) {
    const kedge::dialect::Dialect& dialect = get_dialect(row.dialect);
    const schema::Type type = dialect.parse_type(row.native);
    EXPECT_EQ(dialect.type_name(type), type.native) << row.native;
  }
}

const Row kWriting[] = {
    {Dialect::Postgres, "text", "text"},
    {Dialect::Postgres, "character varying(12)", "text(12)"},
    {Dialect::Postgres, "timestamp with time zone", "timestamp(tz)"},
    {Dialect::Postgres, "numeric(5,2)", "numeric(5,2)"},
    {Dialect::Postgres, "jsonb", "json"},
    {Dialect::Postgres, "integer[]", "array(int32)"},
    {Dialect::Sqlite, "INTEGER", "int64"},
    {Dialect::Sqlite, "INTEGER", "boolean"},
    {Dialect::Sqlite, "TEXT", "timestamp(tz)"},
    {Dialect::Sqlite, "VARCHAR(12)", "text(12)"},
    {Dialect::Sqlite, "REAL", "real4"},
    {Dialect::Sqlite, "TEXT", "array(int32)"},
    {Dialect::Mysql, "tinyint(1)", "boolean"},
    {Dialect::Mysql, "datetime(3)", "timestamp(tz)"},
    {Dialect::Mysql, "char(36)", "uuid"},
    {Dialect::Mysql, "json", "array(text)"},
    {Dialect::Mysql, "varchar(45)", "inet"},
    {Dialect::Duckdb, "VARCHAR", "text(12)"},
    {Dialect::Duckdb, "INTEGER[]", "array(int32)"},
    {Dialect::Duckdb, "TIMESTAMP WITH TIME ZONE", "timestamp(tz)"},
    {Dialect::Duckdb, "ENUM('a', 'b')", "enum('a','b')"},
};

TEST(TypesTest, CanonicalTypesAreWrittenInTheDialect) {
  for (const Row& row : kWriting) {
    EXPECT_EQ(get_dialect(row.dialect).type_name(*schema::parse_canonical(row.canonical)),
              row.native)
        << row.canonical;
  }
}

TEST(TypesTest, WhiteSpaceMakesNoOtherTypeOfSqlite) {
  const auto native = [](const char* text) {
    return get_dialect(Dialect::Sqlite).parse_type(text).native;
  };
  EXPECT_EQ(native("VARCHAR( 10 )"), "VARCHAR(10)");
  EXPECT_EQ(native(" decimal (10 , 2) "), "decimal(10,2)");
  EXPECT_EQ(native("double \t precision"), "double precision");
}

TEST(TypesTest, ATypeOfAnotherServerIsTranslated) {
  const schema::Type type = get_dialect(Dialect::Sqlite).parse_type("DATETIME");
  EXPECT_EQ(get_dialect(Dialect::Postgres).type_name(type), "timestamp");
  EXPECT_EQ(get_dialect(Dialect::Mysql)
                .type_name(get_dialect(Dialect::Postgres).parse_type("character varying(9)")),
            "varchar(9)");
}

}  // namespace
}  // namespace kedge::dialect
