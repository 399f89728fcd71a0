#include "dialect/duckdb_words.h"

#include <array>

namespace kedge::dialect {
namespace {

using schema::TypeKind;

constexpr std::array kNames = {
    DuckdbWord{"boolean", TypeKind::Boolean, -1},
    DuckdbWord{"bool", TypeKind::Boolean, -1},
    DuckdbWord{"logical", TypeKind::Boolean, -1},
    DuckdbWord{"tinyint", TypeKind::Int8, -1},
    DuckdbWord{"int1", TypeKind::Int8, -1},
    DuckdbWord{"smallint", TypeKind::Int16, -1},
    DuckdbWord{"int2", TypeKind::Int16, -1},
    DuckdbWord{"short", TypeKind::Int16, -1},
    DuckdbWord{"integer", TypeKind::Int32, -1},
    DuckdbWord{"int", TypeKind::Int32, -1},
    DuckdbWord{"int4", TypeKind::Int32, -1},
    DuckdbWord{"signed", TypeKind::Int32, -1},
    DuckdbWord{"bigint", TypeKind::Int64, -1},
    DuckdbWord{"int8", TypeKind::Int64, -1},
    DuckdbWord{"long", TypeKind::Int64, -1},
    DuckdbWord{"hugeint", TypeKind::Int128, -1},
    DuckdbWord{"int128", TypeKind::Int128, -1},
    DuckdbWord{"utinyint", TypeKind::UInt8, -1},
    DuckdbWord{"uint8", TypeKind::UInt8, -1},
    DuckdbWord{"usmallint", TypeKind::UInt16, -1},
    DuckdbWord{"uint16", TypeKind::UInt16, -1},
    DuckdbWord{"uinteger", TypeKind::UInt32, -1},
    DuckdbWord{"uint32", TypeKind::UInt32, -1},
    DuckdbWord{"ubigint", TypeKind::UInt64, -1},
    DuckdbWord{"uint64", TypeKind::UInt64, -1},
    DuckdbWord{"uhugeint", TypeKind::UInt128, -1},
    DuckdbWord{"uint128", TypeKind::UInt128, -1},
    DuckdbWord{"float", TypeKind::Real4, -1},
    DuckdbWord{"real", TypeKind::Real4, -1},
    DuckdbWord{"float4", TypeKind::Real4, -1},
    DuckdbWord{"double", TypeKind::Real8, -1},
    DuckdbWord{"float8", TypeKind::Real8, -1},
    DuckdbWord{"double precision", TypeKind::Real8, -1},
    DuckdbWord{"decimal", TypeKind::Numeric, -1},
    DuckdbWord{"numeric", TypeKind::Numeric, -1},
    DuckdbWord{"dec", TypeKind::Numeric, -1},
    DuckdbWord{"varchar", TypeKind::Text, -1},
    DuckdbWord{"text", TypeKind::Text, -1},
    DuckdbWord{"string", TypeKind::Text, -1},
    DuckdbWord{"char", TypeKind::Text, -1},
    DuckdbWord{"bpchar", TypeKind::Text, -1},
    DuckdbWord{"nvarchar", TypeKind::Text, -1},
    DuckdbWord{"blob", TypeKind::Blob, -1},
    DuckdbWord{"bytea", TypeKind::Blob, -1},
    DuckdbWord{"binary", TypeKind::Blob, -1},
    DuckdbWord{"varbinary", TypeKind::Blob, -1},
    DuckdbWord{"bit", TypeKind::Bit, -1},
    DuckdbWord{"bitstring", TypeKind::Bit, -1},
    DuckdbWord{"date", TypeKind::Date, -1},
    DuckdbWord{"time", TypeKind::Time, -1},
    DuckdbWord{"time without time zone", TypeKind::Time, -1},
    DuckdbWord{"timetz", TypeKind::TimeTz, -1},
    DuckdbWord{"time with time zone", TypeKind::TimeTz, -1},
    DuckdbWord{"timestamp", TypeKind::Timestamp, -1},
    DuckdbWord{"datetime", TypeKind::Timestamp, -1},
    DuckdbWord{"timestamp_us", TypeKind::Timestamp, -1},
    DuckdbWord{"timestamp without time zone", TypeKind::Timestamp, -1},
    DuckdbWord{"timestamp_s", TypeKind::Timestamp, 0},
    DuckdbWord{"timestamp_ms", TypeKind::Timestamp, 3},
    DuckdbWord{"timestamp_ns", TypeKind::Timestamp, 9},
    DuckdbWord{"timestamptz", TypeKind::TimestampTz, -1},
    DuckdbWord{"timestamp with time zone", TypeKind::TimestampTz, -1},
    DuckdbWord{"interval", TypeKind::Interval, -1},
    DuckdbWord{"uuid", TypeKind::Uuid, -1},
    DuckdbWord{"guid", TypeKind::Uuid, -1},
    DuckdbWord{"json", TypeKind::Json, -1},
    DuckdbWord{"struct", TypeKind::Struct, -1},
    DuckdbWord{"row", TypeKind::Struct, -1},
    DuckdbWord{"map", TypeKind::Map, -1},
    DuckdbWord{"enum", TypeKind::Enum, -1},
};

}  // namespace

std::span<const DuckdbWord> duckdb_words() {
  return kNames;
}

}  // namespace kedge::dialect
