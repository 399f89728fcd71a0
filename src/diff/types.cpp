// Equality of types by what an engine can hold (spec/metadata.md 3.1), and widening
// (spec/migrate.md 5.4).
#include <string>

#include "base/text.h"
#include "diff/meaning.h"

namespace kedge::diff {
namespace {

using schema::Dialect;
using schema::Type;
using schema::TypeKind;

bool is_integer(TypeKind kind) {
  return kind >= TypeKind::Int8 && kind <= TypeKind::UInt128;
}

// The affinity of a declared sqlite type, by the rules of its documentation.
std::string affinity(const Type& type) {
  const TypeKind kind = type.kind;
  if (type.native.empty()) {
    if (kind == TypeKind::Real4 || kind == TypeKind::Real8) {
      return "real";
    }
    if (kind == TypeKind::Numeric || kind == TypeKind::Blob) {
      return kind == TypeKind::Blob ? "blob" : "numeric";
    }
    return is_integer(kind) || kind == TypeKind::Boolean ? "integer" : "text";
  }
  const std::string name = base::to_lower(type.native);
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("int")) {
    return "integer";
  }
  if (has("char") || has("clob") || has("text") || has("date") || has("time") || has("json") ||
      has("uuid")) {
    return "text";
  }
  if (has("blob")) {
    return "blob";
  }
  if (has("real") || has("floa") || has("doub")) {
    return "real";
  }
  return has("bool") ? "integer" : "numeric";
}

std::string canonical(Type type, Dialect dialect);

std::string array_key(const Type& type, Dialect dialect) {
  Type element = type.element.empty() ? Type{} : type.element.front();
  element.length.reset();
  element.precision.reset();
  element.scale.reset();
  return "array(" + canonical(element, dialect) + ")";
}

std::string mysql_key(const Type& type) {
  const TypeKind kind = type.kind;
  if (kind == TypeKind::Boolean || (kind == TypeKind::Int8 && type.length == 1)) {
    return "boolean";
  }
  if (kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz) {
    return "timestamp";
  }
  if (kind == TypeKind::Array || kind == TypeKind::Json) {
    return "json";
  }
  Type plain = type;
  plain.native.clear();
  if (is_integer(kind)) {
    plain.length.reset();
  }
  return schema::to_string(plain);
}

bool is_known_by_name(TypeKind kind) {
  return kind == TypeKind::Native || kind == TypeKind::Domain || kind == TypeKind::Enum ||
         kind == TypeKind::Struct || kind == TypeKind::Map;
}

std::string canonical(Type type, Dialect dialect) {
  if (schema::is_sqlite(dialect)) {
    return affinity(type);
  }
  if (type.kind == TypeKind::Array) {
    return dialect == Dialect::Mysql ? "json" : array_key(type, dialect);
  }
  if (dialect == Dialect::Mysql) {
    return mysql_key(type);
  }
  if (dialect == Dialect::Duckdb && (type.kind == TypeKind::Text || type.kind == TypeKind::Char)) {
    return "text";
  }
  if (is_known_by_name(type.kind)) {
    return type.native.empty() ? schema::to_string(type) : base::to_lower(type.native);
  }
  if (type.kind >= TypeKind::Time && type.kind <= TypeKind::TimestampTz && type.precision == 6) {
    type.precision.reset();
  }
  type.native.clear();
  return schema::to_string(type);
}

// mysql: TEXT against VARCHAR(255) is a matter of where a declared field without length is used.
bool is_mysql_string_choice(const Type& actual, const Type& expected) {
  return actual.kind == TypeKind::Text && expected.kind == TypeKind::Text && !expected.length &&
         (!actual.length || *actual.length == 255 || *actual.length >= 65535);
}

}  // namespace

bool Meaning::same_type(const Type& actual, const Type& expected) const {
  if (actual == expected) {
    return true;
  }
  if (exact()) {
    if (!actual.native.empty() && !expected.native.empty()) {
      return is_sqlite() ? base::equals_ignoring_case(actual.native, expected.native)
                         : actual.native == expected.native;
    }
  }
  if (options_.dialect == Dialect::Mysql && is_mysql_string_choice(actual, expected)) {
    return true;
  }
  return canonical(actual, options_.dialect) == canonical(expected, options_.dialect);
}

bool is_widening(const Type& from, const Type& to) {
  const auto digits = [](const Type& type) {
    return type.precision.value_or(0) - type.scale.value_or(0);
  };
  const TypeKind kind = from.kind;
  if (kind == TypeKind::Text) {
    return to.kind == TypeKind::Text && from.length && (!to.length || *to.length >= *from.length);
  }
  if (kind == TypeKind::Int32 || kind == TypeKind::Int64) {
    const int needed = kind == TypeKind::Int32 ? 10 : 19;
    return (kind == TypeKind::Int32 && to.kind == TypeKind::Int64) ||
           (to.kind == TypeKind::Numeric && (!to.precision || digits(to) >= needed));
  }
  if (kind == TypeKind::Numeric) {
    return to.kind == TypeKind::Numeric &&
           (!to.precision || (from.precision && from.scale.value_or(0) == to.scale.value_or(0) &&
                              *to.precision >= *from.precision));
  }
  return (kind == TypeKind::Real4 && to.kind == TypeKind::Real8) ||
         (kind == TypeKind::Date && to.kind == TypeKind::Timestamp);
}

}  // namespace kedge::diff
