// Names and types of DuckDB, as duckdb_columns() and DESCRIBE spell them.
#include "base/text.h"
#include "dialect/dialects.h"
#include "dialect/duckdb_names.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

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
  switch (static_cast<int>(type.kind)) {
    case static_cast<int>(TypeKind::Numeric):
      return type.precision ? "DECIMAL" + facets(type) : "DECIMAL(38,9)";
    case static_cast<int>(TypeKind::Timestamp):
      return timestamp_name(type);
    case static_cast<int>(TypeKind::TimestampTz):
      return "TIMESTAMP WITH TIME ZONE";
    case static_cast<int>(TypeKind::Enum):
      return enum_name(type);
    case static_cast<int>(TypeKind::Array):
    case static_cast<int>(TypeKind::Struct):
    case static_cast<int>(TypeKind::Map):
    case static_cast<int>(TypeKind::Domain):
    case static_cast<int>(TypeKind::Native):
      return type.native;
    default:
      return std::string(duckdb_kind_name(type.kind));
  }
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
  const DuckdbType parsed = parse_duckdb_type(native);
  if (!parsed.type) {
    type.kind = TypeKind::Native;
    return type;
  }
  type.kind = parsed.type->kind;
  if (type.kind == TypeKind::Text) {
    return type;  // a length is read and forgotten there
  }
  type.precision = parsed.type->precision;
  type.scale = parsed.type->scale;
  if (type.kind == TypeKind::Enum) {
    type.labels = parsed.type->labels;
  }
  if (type.kind == TypeKind::Numeric && text.arguments.empty()) {
    type.precision = 18;  // what DuckDB itself makes of it
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
