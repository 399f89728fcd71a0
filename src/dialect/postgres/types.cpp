// Names and types of PostgreSQL: format_type() spellings and their aliases.
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
                               NamedType{"smallint", TypeKind::Int16},
                               NamedType{"int2", TypeKind::Int16},
                               NamedType{"smallserial", TypeKind::Int16},
                               NamedType{"serial2", TypeKind::Int16},
                               NamedType{"integer", TypeKind::Int32},
                               NamedType{"int", TypeKind::Int32},
                               NamedType{"int4", TypeKind::Int32},
                               NamedType{"serial", TypeKind::Int32},
                               NamedType{"serial4", TypeKind::Int32},
                               NamedType{"bigint", TypeKind::Int64},
                               NamedType{"int8", TypeKind::Int64},
                               NamedType{"bigserial", TypeKind::Int64},
                               NamedType{"serial8", TypeKind::Int64},
                               NamedType{"real", TypeKind::Real4},
                               NamedType{"float4", TypeKind::Real4},
                               NamedType{"double precision", TypeKind::Real8},
                               NamedType{"float8", TypeKind::Real8},
                               NamedType{"float", TypeKind::Real8},
                               NamedType{"numeric", TypeKind::Numeric},
                               NamedType{"decimal", TypeKind::Numeric},
                               NamedType{"text", TypeKind::Text},
                               NamedType{"character varying", TypeKind::Text},
                               NamedType{"varchar", TypeKind::Text},
                               NamedType{"character", TypeKind::Char},
                               NamedType{"char", TypeKind::Char},
                               NamedType{"bpchar", TypeKind::Char},
                               NamedType{"bytea", TypeKind::Blob},
                               NamedType{"bit", TypeKind::Bit},
                               NamedType{"bit varying", TypeKind::Bit},
                               NamedType{"varbit", TypeKind::Bit},
                               NamedType{"date", TypeKind::Date},
                               NamedType{"time without time zone", TypeKind::Time},
                               NamedType{"time", TypeKind::Time},
                               NamedType{"time with time zone", TypeKind::TimeTz},
                               NamedType{"timetz", TypeKind::TimeTz},
                               NamedType{"timestamp without time zone", TypeKind::Timestamp},
                               NamedType{"timestamp", TypeKind::Timestamp},
                               NamedType{"timestamp with time zone", TypeKind::TimestampTz},
                               NamedType{"timestamptz", TypeKind::TimestampTz},
                               NamedType{"interval", TypeKind::Interval},
                               NamedType{"uuid", TypeKind::Uuid},
                               NamedType{"json", TypeKind::Json},
                               NamedType{"jsonb", TypeKind::Json},
                               NamedType{"inet", TypeKind::Inet}};

std::string name_of(const Type& type) {
  const std::string arguments = facets(type);
  switch (type.kind) {
    case TypeKind::Boolean:
      return "boolean";
    case TypeKind::Int8:
    case TypeKind::UInt8:
    case TypeKind::Int16:
      return "smallint";
    case TypeKind::UInt16:
    case TypeKind::Int32:
      return "integer";
    case TypeKind::UInt32:
    case TypeKind::Int64:
      return "bigint";
    case TypeKind::UInt64:
      return "numeric(20,0)";
    case TypeKind::Int128:
    case TypeKind::UInt128:
      return "numeric(38,0)";
    case TypeKind::Real4:
      return "real";
    case TypeKind::Real8:
      return "double precision";
    case TypeKind::Numeric:
      return "numeric" + arguments;
    case TypeKind::Text:
      return type.length ? "character varying" + arguments : "text";
    case TypeKind::Enum:
    case TypeKind::Unknown:
      return "text";
    case TypeKind::Char:
      return "character" + arguments;
    case TypeKind::Blob:
      return "bytea";
    case TypeKind::Bit:
      return type.length ? "bit" + arguments : "bit varying";
    case TypeKind::Date:
      return "date";
    case TypeKind::Time:
      return "time" + arguments;
    case TypeKind::TimeTz:
      return "time" + arguments + " with time zone";
    case TypeKind::Timestamp:
      return "timestamp" + arguments;
    case TypeKind::TimestampTz:
      return "timestamp" + arguments + " with time zone";
    case TypeKind::Interval:
      return "interval" + arguments;
    case TypeKind::Uuid:
      return "uuid";
    case TypeKind::Json:
    case TypeKind::Struct:
    case TypeKind::Map:
      return "jsonb";
    case TypeKind::Inet:
      return "inet";
    case TypeKind::Array:
    case TypeKind::Domain:
    case TypeKind::Native:
      return type.native;
  }
  return type.native;
}

}  // namespace

Type PostgresDialect::parse_type(std::string_view native) const {
  const TypeText text = take_apart(native);
  Type type;
  type.native = std::string(base::trim(native));
  if (text.arrays > 0) {
    type.kind = TypeKind::Array;
    type.element.push_back(parse_type(text.element));
    return type;
  }
  type.kind =
      find_kind(kNames, text.words)
          .value_or(text.words.starts_with("interval ") ? TypeKind::Interval : TypeKind::Native);
  read_arguments(text, type);
  if (type.kind == TypeKind::Char && !type.length && text.words != "bpchar") {
    type.length = 1;
  }
  return type;
}

std::string PostgresDialect::type_name(const Type& type) const {
  if (is_own_spelling(*this, type)) {
    return type.native;
  }
  if (type.kind == TypeKind::Array && !type.element.empty()) {
    return type_name(type.element[0]) + "[]";
  }
  return name_of(type);
}

std::string PostgresDialect::quote(const Identifier& identifier) const {
  return between(identifier.text(), '"');
}

std::string PostgresDialect::literal(std::string_view text) const {
  return between(text, '\'');
}

// Only ASCII is folded: what a server does with other letters depends on its encoding and locale,
// and UTF-8 servers leave them alone.
std::string PostgresDialect::fold(std::string_view unquoted) const {
  return base::to_lower(unquoted);
}

bool PostgresDialect::same_name(std::string_view live, std::string_view written,
                                bool quoted) const {
  return live == written || (!quoted && live == fold(written));
}

}  // namespace kedge::dialect
