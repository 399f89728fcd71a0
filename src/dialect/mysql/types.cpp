// Names and types of MySQL and MariaDB, as information_schema.COLUMNS.COLUMN_TYPE spells them.
#include <algorithm>
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
                               NamedType{"mediumint", TypeKind::Int32},
                               NamedType{"int", TypeKind::Int32},
                               NamedType{"integer", TypeKind::Int32},
                               NamedType{"bigint", TypeKind::Int64},
                               NamedType{"tinyint unsigned", TypeKind::UInt8},
                               NamedType{"smallint unsigned", TypeKind::UInt16},
                               NamedType{"mediumint unsigned", TypeKind::UInt32},
                               NamedType{"int unsigned", TypeKind::UInt32},
                               NamedType{"integer unsigned", TypeKind::UInt32},
                               NamedType{"bigint unsigned", TypeKind::UInt64},
                               NamedType{"year", TypeKind::Int16},
                               NamedType{"float", TypeKind::Real4},
                               NamedType{"double", TypeKind::Real8},
                               NamedType{"double precision", TypeKind::Real8},
                               NamedType{"real", TypeKind::Real8},
                               NamedType{"decimal", TypeKind::Numeric},
                               NamedType{"numeric", TypeKind::Numeric},
                               NamedType{"varchar", TypeKind::Text},
                               NamedType{"tinytext", TypeKind::Text},
                               NamedType{"text", TypeKind::Text},
                               NamedType{"mediumtext", TypeKind::Text},
                               NamedType{"longtext", TypeKind::Text},
                               NamedType{"char", TypeKind::Char},
                               NamedType{"tinyblob", TypeKind::Blob},
                               NamedType{"blob", TypeKind::Blob},
                               NamedType{"mediumblob", TypeKind::Blob},
                               NamedType{"longblob", TypeKind::Blob},
                               NamedType{"binary", TypeKind::Blob},
                               NamedType{"varbinary", TypeKind::Blob},
                               NamedType{"bit", TypeKind::Bit},
                               NamedType{"date", TypeKind::Date},
                               NamedType{"time", TypeKind::Time},
                               NamedType{"datetime", TypeKind::Timestamp},
                               NamedType{"timestamp", TypeKind::TimestampTz},
                               NamedType{"json", TypeKind::Json},
                               NamedType{"uuid", TypeKind::Uuid},
                               NamedType{"inet4", TypeKind::Inet},
                               NamedType{"inet6", TypeKind::Inet},
                               NamedType{"enum", TypeKind::Enum}};

constexpr std::array kIntegers = {TypeKind::Int8,   TypeKind::Int16, TypeKind::Int32,
                                  TypeKind::Int64,  TypeKind::UInt8, TypeKind::UInt16,
                                  TypeKind::UInt32, TypeKind::UInt64};

bool is_integer(TypeKind kind) {
  return std::find(kIntegers.begin(), kIntegers.end(), kind) != kIntegers.end();
}

std::string enum_name(const Type& type) {
  std::string text;
  for (const std::string& label : type.labels) {
    text += (text.empty() ? "" : ",") + between(label, '\'');
  }
  return text.empty() ? "varchar(255)" : "enum(" + text + ")";
}

std::string name_of(const Type& type) {
  const std::string arguments = facets(type);
  switch (type.kind) {
    case TypeKind::Boolean:
      return "tinyint(1)";
    case TypeKind::Int8:
      return "tinyint";
    case TypeKind::Int16:
      return "smallint";
    case TypeKind::Int32:
      return "int";
    case TypeKind::Int64:
      return "bigint";
    case TypeKind::UInt8:
      return "tinyint unsigned";
    case TypeKind::UInt16:
      return "smallint unsigned";
    case TypeKind::UInt32:
      return "int unsigned";
    case TypeKind::UInt64:
      return "bigint unsigned";
    case TypeKind::Int128:
    case TypeKind::UInt128:
      return "decimal(38,0)";
    case TypeKind::Real4:
      return "float";
    case TypeKind::Real8:
      return "double";
    case TypeKind::Numeric:
      return "decimal" + arguments;
    case TypeKind::Text:
      return type.length ? "varchar" + arguments : "text";
    case TypeKind::Char:
      return "char" + arguments;
    case TypeKind::Blob:
      return type.length ? "varbinary" + arguments : "longblob";
    case TypeKind::Bit:
      return "bit" + arguments;
    case TypeKind::Date:
      return "date";
    case TypeKind::Time:
    case TypeKind::TimeTz:
      return "time" + (arguments.empty() ? "(3)" : arguments);
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return "datetime" + (arguments.empty() ? "(3)" : arguments);
    case TypeKind::Interval:
      return "varchar(64)";
    case TypeKind::Uuid:
      return "char(36)";
    case TypeKind::Json:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
      return "json";
    case TypeKind::Inet:
      return "varchar(45)";
    case TypeKind::Enum:
      return enum_name(type);
    case TypeKind::Unknown:
      return "text";
    case TypeKind::Domain:
    case TypeKind::Native:
      return type.native;
  }
  return type.native;
}

// Integer display widths mean nothing, except where zerofill makes them visible.
std::string without_width(std::string_view native, const TypeText& text) {
  const bool wide = text.arguments.size() == 1 && text.words.find("zerofill") == std::string::npos;
  return wide ? text.words : base::to_lower(native);
}

}  // namespace

Type MysqlDialect::parse_type(std::string_view native) const {
  TypeText text = take_apart(native);
  Type type;
  type.native = std::string(base::trim(native));
  const std::size_t zerofill = text.words.find(" zerofill");
  std::string words = text.words.substr(0, zerofill);
  const bool one_bit = argument(text, 0) == std::optional(1);
  if (one_bit && words == "tinyint") {
    type.kind = TypeKind::Boolean;
    return type;
  }
  std::optional<TypeKind> kind = find_kind(kNames, words);
  if (!kind && words.ends_with(" unsigned")) {
    kind = find_kind(kNames, words.substr(0, words.size() - 9));  // decimal, float, double
  }
  type.kind = kind.value_or(TypeKind::Native);
  if (is_integer(type.kind)) {
    type.native = words == "year" ? "year" : without_width(type.native, text);
    return type;
  }
  read_arguments(text, type);
  if (type.kind == TypeKind::Numeric && !type.precision) {
    type.precision = 10;
    type.scale = 0;
  }
  return type;
}

std::string MysqlDialect::type_name(const Type& type) const {
  return is_own_spelling(*this, type) ? type.native : name_of(type);
}

std::string MysqlDialect::quote(const Identifier& identifier) const {
  return between(identifier.text(), '`');
}

// Backslashes are escapes there unless NO_BACKSLASH_ESCAPES is set; doubling is right by default.
std::string MysqlDialect::literal(std::string_view text) const {
  return between(base::replace_all(std::string(text), "\\", "\\\\"), '\'');
}

std::string MysqlDialect::fold(std::string_view unquoted) const {
  return std::string(unquoted);
}

bool MysqlDialect::same_name(std::string_view live, std::string_view written,
                             bool /*quoted*/) const {
  return base::equals_ignoring_case(live, written);
}

}  // namespace kedge::dialect
