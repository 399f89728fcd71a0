// Names and types of DuckDB, as duckdb_columns() and DESCRIBE spell them.
#include <array>

#include "base/text.h"
#include "dialect/dialects.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

constexpr std::array kNames = {NamedType{"boolean", TypeKind::Boolean},
                               NamedType{"bool", TypeKind::Boolean},
                               NamedType{"tinyint", TypeKind::Int8},
                               NamedType{"smallint", TypeKind::Int16},
                               NamedType{"integer", TypeKind::Int32},
                               NamedType{"int", TypeKind::Int32},
                               NamedType{"bigint", TypeKind::Int64},
                               NamedType{"hugeint", TypeKind::Int128},
                               NamedType{"utinyint", TypeKind::UInt8},
                               NamedType{"usmallint", TypeKind::UInt16},
                               NamedType{"uinteger", TypeKind::UInt32},
                               NamedType{"ubigint", TypeKind::UInt64},
                               NamedType{"uhugeint", TypeKind::UInt128},
                               NamedType{"float", TypeKind::Real4},
                               NamedType{"real", TypeKind::Real4},
                               NamedType{"double", TypeKind::Real8},
                               NamedType{"decimal", TypeKind::Numeric},
                               NamedType{"numeric", TypeKind::Numeric},
                               NamedType{"varchar", TypeKind::Text},
                               NamedType{"text", TypeKind::Text},
                               NamedType{"blob", TypeKind::Blob},
                               NamedType{"bit", TypeKind::Bit},
                               NamedType{"date", TypeKind::Date},
                               NamedType{"time", TypeKind::Time},
                               NamedType{"time with time zone", TypeKind::TimeTz},
                               NamedType{"timetz", TypeKind::TimeTz},
                               NamedType{"timestamp", TypeKind::Timestamp},
                               NamedType{"datetime", TypeKind::Timestamp},
                               NamedType{"timestamp with time zone", TypeKind::TimestampTz},
                               NamedType{"timestamptz", TypeKind::TimestampTz},
                               NamedType{"timestamp_s", TypeKind::Timestamp},
                               NamedType{"timestamp_ms", TypeKind::Timestamp},
                               NamedType{"timestamp_ns", TypeKind::Timestamp},
                               NamedType{"interval", TypeKind::Interval},
                               NamedType{"uuid", TypeKind::Uuid},
                               NamedType{"json", TypeKind::Json},
                               NamedType{"struct", TypeKind::Struct},
                               NamedType{"map", TypeKind::Map},
                               NamedType{"enum", TypeKind::Enum}};

std::string timestamp_name(const Type& type) {
  if (!type.precision || *type.precision == 6) {
    return "TIMESTAMP";
  }
  return *type.precision == 0   ? "TIMESTAMP_S"
         : *type.precision <= 3 ? "TIMESTAMP_MS"
         : *type.precision < 6  ? "TIMESTAMP"
                                : "TIMESTAMP_NS";
}

std::string enum_name(const Type& type) {
  std::string text;
  for (const std::string& label : type.labels) {
    text += (text.empty() ? "" : ", ") + between(label, '\'');
  }
  return text.empty() ? "VARCHAR" : "ENUM(" + text + ")";
}

std::string name_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::Boolean:
      return "BOOLEAN";
    case TypeKind::Int8:
      return "TINYINT";
    case TypeKind::Int16:
      return "SMALLINT";
    case TypeKind::Int32:
      return "INTEGER";
    case TypeKind::Int64:
      return "BIGINT";
    case TypeKind::Int128:
      return "HUGEINT";
    case TypeKind::UInt8:
      return "UTINYINT";
    case TypeKind::UInt16:
      return "USMALLINT";
    case TypeKind::UInt32:
      return "UINTEGER";
    case TypeKind::UInt64:
      return "UBIGINT";
    case TypeKind::UInt128:
      return "UHUGEINT";
    case TypeKind::Real4:
      return "FLOAT";
    case TypeKind::Real8:
      return "DOUBLE";
    case TypeKind::Numeric:
      return type.precision ? "DECIMAL" + facets(type) : "DECIMAL(38,9)";
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Inet:
    case TypeKind::Unknown:
      return "VARCHAR";
    case TypeKind::Blob:
      return "BLOB";
    case TypeKind::Bit:
      return "BIT";
    case TypeKind::Date:
      return "DATE";
    case TypeKind::Time:
      return "TIME";
    case TypeKind::TimeTz:
      return "TIME WITH TIME ZONE";
    case TypeKind::Timestamp:
      return timestamp_name(type);
    case TypeKind::TimestampTz:
      return "TIMESTAMP WITH TIME ZONE";
    case TypeKind::Interval:
      return "INTERVAL";
    case TypeKind::Uuid:
      return "UUID";
    case TypeKind::Json:
      return "JSON";
    case TypeKind::Enum:
      return enum_name(type);
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Domain:
    case TypeKind::Native:
      return type.native;
  }
  return type.native;
}

}  // namespace

Type DuckdbDialect::parse_type(std::string_view native) const {
  const TypeText text = take_apart(native);
  Type type;
  type.native = std::string(base::trim(native));
  if (text.arrays > 0) {
    type.kind = TypeKind::Array;
    type.element.push_back(parse_type(text.element));
    return type;
  }
  type.kind = find_kind(kNames, text.words).value_or(TypeKind::Native);
  if (type.kind == TypeKind::Text) {
    return type;  // a length is read and forgotten there
  }
  read_arguments(text, type);
  if (text.words == "timestamp_s" || text.words == "timestamp_ms" || text.words == "timestamp_ns") {
    type.precision = text.words == "timestamp_s" ? 0 : text.words == "timestamp_ms" ? 3 : 9;
  }
  if (type.kind == TypeKind::Numeric && !type.precision) {
    type.precision = 18;
    type.scale = 3;
  }
  return type;
}

std::string DuckdbDialect::type_name(const Type& type) const {
  if (is_own_spelling(*this, type)) {
    return type.native;
  }
  if (type.kind == TypeKind::Array && !type.element.empty()) {
    return type_name(type.element[0]) + "[]";
  }
  return name_of(type);
}

std::string DuckdbDialect::quote(const Identifier& identifier) const {
  return between(identifier.text(), '"');
}

std::string DuckdbDialect::literal(std::string_view text) const {
  return between(text, '\'');
}

std::string DuckdbDialect::fold(std::string_view unquoted) const {
  return std::string(unquoted);
}

bool DuckdbDialect::same_name(std::string_view live, std::string_view written,
                              bool /*quoted*/) const {
  return base::equals_ignoring_case(live, written);
}

}  // namespace kedge::dialect
