#include "dialect/bucket_table.h"

#include <array>

namespace kedge::dialect {
namespace {

using C = ColumnClass;

// Exact names before prefixes; the first row of the dialect that knows the name decides. What no
// row knows is text, except where a dialect says otherwise in buckets.cpp.
constexpr std::array kRows = {
    BucketRow{"duckdb", C::Int,
              "tinyint|smallint|integer|int|bigint|hugeint|utinyint|usmallint|uinteger|ubigint|"
              "uhugeint|bignum|varint"},
    BucketRow{"duckdb", C::Double, "float|real|double"},
    BucketRow{"duckdb", C::Boolean, "boolean|bool"},
    BucketRow{"duckdb", C::Date, "date"},
    BucketRow{"duckdb", C::Timestamp, "timestamp*|datetime|time|time with time zone|timetz"},

    BucketRow{"postgres", C::Int,
              "int2|int4|int8|int|smallint|integer|bigint|serial|serial2|serial4|serial8|"
              "smallserial|bigserial|oid"},
    BucketRow{"postgres", C::Double, "float4|float8|real|double precision|float|money"},
    BucketRow{"postgres", C::Boolean, "bool|boolean"},
    BucketRow{"postgres", C::Date, "date"},
    BucketRow{"postgres", C::Timestamp,
              "timestamp|timestamptz|timestamp without time zone|timestamp with time zone|time|"
              "timetz|time without time zone|time with time zone"},

    BucketRow{"mysql", C::Int,
              "tinyint|smallint|mediumint|int|integer|bigint|year|tinyint unsigned|"
              "smallint unsigned|mediumint unsigned|int unsigned|integer unsigned|bigint unsigned"},
    BucketRow{"mysql", C::Double,
              "float|double|double precision|real|float unsigned|double unsigned"},
    BucketRow{"mysql", C::Boolean, "bool|boolean"},
    BucketRow{"mysql", C::Date, "date"},
    BucketRow{"mysql", C::Timestamp, "datetime|timestamp|time"},

    BucketRow{"clickhouse", C::Int,
              "int8|int16|int32|int64|int128|int256|uint8|uint16|uint32|uint64|uint128|uint256"},
    BucketRow{"clickhouse", C::Double, "float*|decimal*|bfloat16"},
    BucketRow{"clickhouse", C::Boolean, "bool|boolean"},
    BucketRow{"clickhouse", C::Date, "date|date32"},
    BucketRow{"clickhouse", C::Timestamp, "datetime|datetime32|datetime64|time|time64"},
    BucketRow{"clickhouse", C::Undetermined, "aggregatefunction"},

    BucketRow{"bigquery", C::Int, "int64|int|smallint|integer|bigint|tinyint|byteint"},
    BucketRow{"bigquery", C::Double, "float64|float|numeric|bignumeric|decimal|bigdecimal"},
    BucketRow{"bigquery", C::Boolean, "bool|boolean"},
    BucketRow{"bigquery", C::Date, "date"},
    BucketRow{"bigquery", C::Timestamp, "datetime|timestamp|time"},

    BucketRow{"snowflake", C::Int, "int|integer|bigint|smallint|tinyint|byteint"},
    BucketRow{"snowflake", C::Double, "float|float4|float8|double|double precision|real|decfloat"},
    BucketRow{"snowflake", C::Boolean, "boolean"},
    BucketRow{"snowflake", C::Date, "date"},
    BucketRow{"snowflake", C::Timestamp, "timestamp*|datetime|time"},

    BucketRow{"sqlserver", C::Int, "tinyint|smallint|int|bigint"},
    BucketRow{"sqlserver", C::Double, "money|smallmoney|float|real"},
    BucketRow{"sqlserver", C::Boolean, "bit"},
    BucketRow{"sqlserver", C::Date, "date"},
    BucketRow{"sqlserver", C::Timestamp, "datetime|datetime2|smalldatetime|datetimeoffset|time"},

    BucketRow{"oracle", C::Int, "integer|int|smallint"},
    BucketRow{"oracle", C::Double, "float|binary_float|binary_double|real|double precision"},
    BucketRow{"oracle", C::Boolean, "boolean"},
    BucketRow{"oracle", C::Timestamp, "date|timestamp*"},  // a DATE there has a time of day

    BucketRow{"ansi", C::Int, "tinyint|smallint|integer|int|bigint"},
    BucketRow{"ansi", C::Double, "float|real|double|double precision|money"},
    BucketRow{"ansi", C::Boolean, "bit|boolean|bool"},
    BucketRow{"ansi", C::Date, "date"},
    BucketRow{"ansi", C::Timestamp, "timestamp*|datetime*|smalldatetime|time*"},
};

}  // namespace

std::span<const BucketRow> bucket_rows() {
  return kRows;
}

}  // namespace kedge::dialect
