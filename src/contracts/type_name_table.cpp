#include "contracts/type_name_table.h"

#include <array>

namespace kedge::contracts {
namespace {

using schema::TypeKind;

constexpr std::array kNames = {
    TypeWord{"boolean", TypeKind::Boolean, -1},
    TypeWord{"bool", TypeKind::Boolean, -1},
    TypeWord{"logical", TypeKind::Boolean, -1},
    TypeWord{"tinyint", TypeKind::Int8, -1},
    TypeWord{"int1", TypeKind::Int8, -1},
    TypeWord{"smallint", TypeKind::Int16, -1},
    TypeWord{"int2", TypeKind::Int16, -1},
    TypeWord{"short", TypeKind::Int16, -1},
    TypeWord{"integer", TypeKind::Int32, -1},
    TypeWord{"int", TypeKind::Int32, -1},
    TypeWord{"int4", TypeKind::Int32, -1},
    TypeWord{"signed", TypeKind::Int32, -1},
    TypeWord{"bigint", TypeKind::Int64, -1},
    TypeWord{"int8", TypeKind::Int64, -1},
    TypeWord{"long", TypeKind::Int64, -1},
    TypeWord{"hugeint", TypeKind::Int128, -1},
    TypeWord{"int128", TypeKind::Int128, -1},
    TypeWord{"utinyint", TypeKind::UInt8, -1},
    TypeWord{"uint8", TypeKind::UInt8, -1},
    TypeWord{"usmallint", TypeKind::UInt16, -1},
    TypeWord{"uint16", TypeKind::UInt16, -1},
    TypeWord{"uinteger", TypeKind::UInt32, -1},
    TypeWord{"uint32", TypeKind::UInt32, -1},
    TypeWord{"ubigint", TypeKind::UInt64, -1},
    TypeWord{"uint64", TypeKind::UInt64, -1},
    TypeWord{"uhugeint", TypeKind::UInt128, -1},
    TypeWord{"uint128", TypeKind::UInt128, -1},
    TypeWord{"float", TypeKind::Real4, -1},
    TypeWord{"real", TypeKind::Real4, -1},
    TypeWord{"float4", TypeKind::Real4, -1},
    TypeWord{"double", TypeKind::Real8, -1},
    TypeWord{"float8", TypeKind::Real8, -1},
    TypeWord{"double precision", TypeKind::Real8, -1},
    TypeWord{"decimal", TypeKind::Numeric, -1},
    TypeWord{"numeric", TypeKind::Numeric, -1},
    TypeWord{"dec", TypeKind::Numeric, -1},
    TypeWord{"varchar", TypeKind::Text, -1},
    TypeWord{"text", TypeKind::Text, -1},
    TypeWord{"string", TypeKind::Text, -1},
    TypeWord{"char", TypeKind::Text, -1},
    TypeWord{"bpchar", TypeKind::Text, -1},
    TypeWord{"nvarchar", TypeKind::Text, -1},
    TypeWord{"blob", TypeKind::Blob, -1},
    TypeWord{"bytea", TypeKind::Blob, -1},
    TypeWord{"binary", TypeKind::Blob, -1},
    TypeWord{"varbinary", TypeKind::Blob, -1},
    TypeWord{"bit", TypeKind::Bit, -1},
    TypeWord{"bitstring", TypeKind::Bit, -1},
    TypeWord{"date", TypeKind::Date, -1},
    TypeWord{"time", TypeKind::Time, -1},
    TypeWord{"time without time zone", TypeKind::Time, -1},
    TypeWord{"timetz", TypeKind::TimeTz, -1},
    TypeWord{"time with time zone", TypeKind::TimeTz, -1},
    TypeWord{"timestamp", TypeKind::Timestamp, -1},
    TypeWord{"datetime", TypeKind::Timestamp, -1},
    TypeWord{"timestamp_us", TypeKind::Timestamp, -1},
    TypeWord{"timestamp without time zone", TypeKind::Timestamp, -1},
    TypeWord{"timestamp_s", TypeKind::Timestamp, 0},
    TypeWord{"timestamp_ms", TypeKind::Timestamp, 3},
    TypeWord{"timestamp_ns", TypeKind::Timestamp, 9},
    TypeWord{"timestamptz", TypeKind::TimestampTz, -1},
    TypeWord{"timestamp with time zone", TypeKind::TimestampTz, -1},
    TypeWord{"interval", TypeKind::Interval, -1},
    TypeWord{"uuid", TypeKind::Uuid, -1},
    TypeWord{"guid", TypeKind::Uuid, -1},
    TypeWord{"json", TypeKind::Json, -1},
    TypeWord{"struct", TypeKind::Struct, -1},
    TypeWord{"row", TypeKind::Struct, -1},
    TypeWord{"map", TypeKind::Map, -1},
    TypeWord{"enum", TypeKind::Enum, -1},
};

}  // namespace

std::span<const TypeWord> type_words() {
  return kNames;
}

}  // namespace kedge::contracts
