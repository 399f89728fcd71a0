#include "metadata/types.h"

#include <algorithm>

#include "dialect/dialect.h"

namespace kedge::metadata {
namespace {

using schema::Dialect;
using schema::Type;
using schema::TypeKind;

Type text(std::int64_t length) {
  Type type = type_of_kind(TypeKind::Text);
  type.length = static_cast<int>(length);
  return type;
}

Type numeric(const Field& field) {
  Type type = type_of_kind(TypeKind::Numeric);
  if (field.precision) {
    type.precision = static_cast<int>(*field.precision);
    type.scale = static_cast<int>(field.scale.value_or(0));
  }
  return type;
}

Type string_type(const Field& field) {
  if (field.column_type == "uuid") {
    return type_of_kind(TypeKind::Uuid);
  }
  if (field.column_type == "jsonb") {
    return type_of_kind(TypeKind::Json);
  }
  return field.max_length ? text(*field.max_length) : type_of_kind(TypeKind::Text);
}

Type scalar_type(const Field& field) {
  switch (field.type) {
    case FieldType::String:
      return string_type(field);
    case FieldType::Int:
      return type_of_kind(TypeKind::Int32);
    case FieldType::Long:
    case FieldType::Currency:
      return type_of_kind(TypeKind::Int64);
    case FieldType::Float:
      return type_of_kind(TypeKind::Real4);
    case FieldType::Double:
      return type_of_kind(TypeKind::Real8);
    case FieldType::Decimal:
      return numeric(field);
    case FieldType::Boolean:
      return type_of_kind(TypeKind::Boolean);
    case FieldType::Date:
      return type_of_kind(TypeKind::Date);
    case FieldType::Time:
      return type_of_kind(TypeKind::Time);
    case FieldType::Timestamp:
      return type_of_kind(field.local_time ? TypeKind::Timestamp : TypeKind::TimestampTz);
    case FieldType::Uuid:
      return type_of_kind(TypeKind::Uuid);
    case FieldType::Enum:
      return type_of_kind(field.int_values.empty() ? TypeKind::Text : TypeKind::Int32);
    case FieldType::Object:
    case FieldType::Map:
      return type_of_kind(TypeKind::Json);
    case FieldType::Uri:
      return type_of_kind(TypeKind::Text);
    case FieldType::Inet:
      return type_of_kind(field.lenient ? TypeKind::Text : TypeKind::Inet);
    case FieldType::Bytes:
      return type_of_kind(TypeKind::Blob);
  }
  return type_of_kind(TypeKind::Text);
}

bool is_json(const Field& field) {
  return field.type == FieldType::Object || field.type == FieldType::Map;
}

// What the engine has in place of a canonical type.
Type mysql_scalar(const Field& field, Type type, Use use) {
  if (field.type == FieldType::Enum && field.int_values.empty()) {
    std::size_t longest = 1;
    for (const std::string& member : field.values) {
      longest = std::max(longest, member.size());
    }
    return text(static_cast<std::int64_t>(longest));
  }
  if (field.type == FieldType::Inet) {
    return text(45);
  }
  if (type.kind == TypeKind::Uuid) {
    type.kind = TypeKind::Char;
    type.length = 36;
  } else if (type.kind == TypeKind::Time || type.kind == TypeKind::Timestamp ||
             type.kind == TypeKind::TimestampTz) {
    type.precision = 3;
  }
  const bool unbounded = type.kind == TypeKind::Text && !type.length;
  return unbounded && use == Use::KeyedOrDefaulted ? text(255) : type;
}

}  // namespace

Type type_of_kind(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

bool is_number(FieldType type) {
  switch (type) {
    case FieldType::Int:
    case FieldType::Long:
    case FieldType::Float:
    case FieldType::Double:
    case FieldType::Decimal:
    case FieldType::Currency:
      return true;
    case FieldType::String:
    case FieldType::Boolean:
    case FieldType::Date:
    case FieldType::Time:
    case FieldType::Timestamp:
    case FieldType::Uuid:
    case FieldType::Enum:
    case FieldType::Object:
    case FieldType::Map:
    case FieldType::Uri:
    case FieldType::Inet:
    case FieldType::Bytes:
      return false;
  }
  return false;
}

Type canonical_type(const Field& field) {
  Type type = scalar_type(field);
  if (!field.is_array || is_json(field)) {
    return type;
  }
  type.length.reset();
  type.precision.reset();
  type.scale.reset();
  Type list = type_of_kind(TypeKind::Array);
  list.element.push_back(std::move(type));
  return list;
}

Type stored_type(const Field& field, Dialect dialect, Use use) {
  const std::string name = schema::to_string(dialect);
  const auto raw = field.db_type.find(name);
  const auto raw_sqlite = dialect == Dialect::D1 ? field.db_type.find("sqlite") : raw;
  if (raw != field.db_type.end() || raw_sqlite != field.db_type.end()) {
    const std::string& text = raw != field.db_type.end() ? raw->second : raw_sqlite->second;
    Type type = dialect::get_dialect(dialect).parse_type(text);
    type.native = text;
    return type;
  }
  Type type = canonical_type(field);
  switch (dialect) {
    case Dialect::Mysql:
      if (type.kind == TypeKind::Array) {
        return type_of_kind(TypeKind::Json);
      }
      return mysql_scalar(field, std::move(type), use);
    case Dialect::Duckdb:
      if (type.kind == TypeKind::Array && field.type == FieldType::Inet) {
        type.element[0] = type_of_kind(TypeKind::Text);
      }
      return field.type == FieldType::Inet && !field.is_array ? type_of_kind(TypeKind::Text) : type;
    case Dialect::Sqlite:
    case Dialect::D1:
    case Dialect::Postgres:
    case Dialect::Ansi:
      return type;
  }
  return type;
}

}  // namespace kedge::metadata
