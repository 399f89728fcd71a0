#include "metadata/describe_type.h"

#include <map>
#include <optional>

namespace kedge::metadata {
namespace {

using document::Json;
using schema::Dialect;
using schema::Type;
using schema::TypeKind;

// The canonical types that a field subtype gives on this dialect, without going through dbType.
std::optional<std::string> subtype_of(const Type& type, Dialect dialect, Json& attributes) {
  static const std::map<TypeKind, std::string> kSubtypes = {{TypeKind::Boolean, "boolean"},
                                                            {TypeKind::Int32, "int"},
                                                            {TypeKind::Int64, "long"},
                                                            {TypeKind::Real4, "float"},
                                                            {TypeKind::Real8, "double"},
                                                            {TypeKind::Numeric, "decimal"},
                                                            {TypeKind::Text, "string"},
                                                            {TypeKind::Date, "date"},
                                                            {TypeKind::Time, "time"},
                                                            {TypeKind::Timestamp, "timestamp"},
                                                            {TypeKind::TimestampTz, "timestamp"},
                                                            {TypeKind::Uuid, "uuid"},
                                                            {TypeKind::Inet, "inet"},
                                                            {TypeKind::Blob, "bytes"}};
  const auto found = kSubtypes.find(type.kind);
  if (found == kSubtypes.end()) {
    return std::nullopt;
  }
  const bool clock = found->second == "time" || found->second == "timestamp";
  const bool precise = dialect == Dialect::Postgres || dialect == Dialect::Duckdb;
  if (clock && precise && type.precision && *type.precision != 6) {
    return std::nullopt;  // digits of a second are no part of the language
  }
  if (clock && dialect == Dialect::Mysql && type.precision != 3) {
    return std::nullopt;
  }
  const int scale = type.scale.value_or(0);
  if ((type.kind == TypeKind::Blob && type.length) ||
      (type.precision && !clock && (scale < 0 || scale > *type.precision))) {
    return std::nullopt;
  }
  if (type.kind == TypeKind::Timestamp) {
    attributes.set("localTime", true);
  }
  if (type.kind == TypeKind::Numeric && type.precision) {
    attributes.set("precision", *type.precision);
    attributes.set("scale", type.scale.value_or(0));
  }
  if (type.kind == TypeKind::Text && type.length && *type.length > 0) {
    attributes.set("maxLength", *type.length);
  }
  return found->second;
}

// What a raw type is to the language: a counted key a whole number, a clock a clock.
std::string nearest_subtype(TypeKind kind) {
  if (kind >= TypeKind::Int8 && kind < TypeKind::Real4) {
    return "long";
  }
  const bool timestamp = kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz;
  return timestamp                ? "timestamp"
         : kind == TypeKind::Time ? "time"
         : kind == TypeKind::Blob ? "bytes"
                                  : "string";
}

}  // namespace

FieldShape shape_of(const Type& type, Dialect dialect, Spelling spelling) {
  FieldShape shape;
  if (type.kind == TypeKind::Unknown) {
    return shape;  // an expression of a sqlite view
  }
  const bool list = type.kind == TypeKind::Array && dialect == Dialect::Postgres;
  const Type& element = list && !type.element.empty() ? type.element.front() : type;
  Json attributes = Json::object();
  const bool native = spelling == Spelling::Native || (type.kind == TypeKind::Array && !list);
  const auto subtype = native ? std::nullopt : subtype_of(element, dialect, attributes);
  const bool sqlite = schema::is_sqlite(dialect);
  if (subtype && !(list && element.kind == TypeKind::Array)) {
    shape.type = *subtype + (list ? "[]" : "");
    shape.attributes = std::move(attributes);
    return shape;
  }
  shape.raw = true;
  shape.type = nearest_subtype(type.kind);
  const std::string text = type.native.empty() ? schema::to_string(type) : type.native;
  Json raw = Json::object();
  raw.set(sqlite ? "sqlite" : schema::to_string(dialect), text.empty() ? "BLOB" : text);
  shape.attributes.set("dbType", std::move(raw));
  return shape;
}

}  // namespace kedge::metadata
