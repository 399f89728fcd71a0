#include "db/duckdb/types.h"

#include <array>

#include "base/text.h"

namespace kedge::db::duckdb {
namespace {

using schema::Type;
using schema::TypeKind;

struct TypeLine {
  duckdb_type id;
  TypeKind kind;
  const char* name;
};

constexpr std::array kTypes = {
    TypeLine{DUCKDB_TYPE_BOOLEAN, TypeKind::Boolean, "BOOLEAN"},
    TypeLine{DUCKDB_TYPE_TINYINT, TypeKind::Int8, "TINYINT"},
    TypeLine{DUCKDB_TYPE_SMALLINT, TypeKind::Int16, "SMALLINT"},
    TypeLine{DUCKDB_TYPE_INTEGER, TypeKind::Int32, "INTEGER"},
    TypeLine{DUCKDB_TYPE_BIGINT, TypeKind::Int64, "BIGINT"},
    TypeLine{DUCKDB_TYPE_HUGEINT, TypeKind::Int128, "HUGEINT"},
    TypeLine{DUCKDB_TYPE_UTINYINT, TypeKind::UInt8, "UTINYINT"},
    TypeLine{DUCKDB_TYPE_USMALLINT, TypeKind::UInt16, "USMALLINT"},
    TypeLine{DUCKDB_TYPE_UINTEGER, TypeKind::UInt32, "UINTEGER"},
    TypeLine{DUCKDB_TYPE_UBIGINT, TypeKind::UInt64, "UBIGINT"},
    TypeLine{DUCKDB_TYPE_UHUGEINT, TypeKind::UInt128, "UHUGEINT"},
    TypeLine{DUCKDB_TYPE_FLOAT, TypeKind::Real4, "FLOAT"},
    TypeLine{DUCKDB_TYPE_DOUBLE, TypeKind::Real8, "DOUBLE"},
    TypeLine{DUCKDB_TYPE_VARCHAR, TypeKind::Text, "VARCHAR"},
    TypeLine{DUCKDB_TYPE_BLOB, TypeKind::Blob, "BLOB"},
    TypeLine{DUCKDB_TYPE_BIT, TypeKind::Bit, "BIT"},
    TypeLine{DUCKDB_TYPE_DATE, TypeKind::Date, "DATE"},
    TypeLine{DUCKDB_TYPE_TIME, TypeKind::Time, "TIME"},
    TypeLine{DUCKDB_TYPE_TIME_TZ, TypeKind::TimeTz, "TIME WITH TIME ZONE"},
    TypeLine{DUCKDB_TYPE_TIMESTAMP, TypeKind::Timestamp, "TIMESTAMP"},
    TypeLine{DUCKDB_TYPE_TIMESTAMP_S, TypeKind::Timestamp, "TIMESTAMP_S"},
    TypeLine{DUCKDB_TYPE_TIMESTAMP_MS, TypeKind::Timestamp, "TIMESTAMP_MS"},
    TypeLine{DUCKDB_TYPE_TIMESTAMP_NS, TypeKind::Timestamp, "TIMESTAMP_NS"},
    TypeLine{DUCKDB_TYPE_TIMESTAMP_TZ, TypeKind::TimestampTz, "TIMESTAMP WITH TIME ZONE"},
    TypeLine{DUCKDB_TYPE_INTERVAL, TypeKind::Interval, "INTERVAL"},
    TypeLine{DUCKDB_TYPE_UUID, TypeKind::Uuid, "UUID"},
    TypeLine{DUCKDB_TYPE_SQLNULL, TypeKind::Unknown, "\"NULL\""},
};

struct OwnedType {
  const Api& api;
  duckdb_logical_type type;
  ~OwnedType() { api.destroy_logical_type(&type); }
};

TypeShape child_shape(const Api& api, duckdb_logical_type type) {
  const OwnedType owned{api, type};
  return shape_of(api, owned.type);
}

std::string taken(const Api& api, char* text) {
  std::string result = text == nullptr ? "" : text;
  api.free(text);
  return result;
}

void add_members(const Api& api, duckdb_logical_type type, TypeShape& shape) {
  const bool is_union = shape.id == DUCKDB_TYPE_UNION;
  const idx_t count =
      is_union ? api.union_type_member_count(type) : api.struct_type_child_count(type);
  for (idx_t i = 0; i < count; ++i) {
    shape.labels.push_back(taken(
        api, is_union ? api.union_type_member_name(type, i) : api.struct_type_child_name(type, i)));
    shape.children.push_back(child_shape(
        api, is_union ? api.union_type_member_type(type, i) : api.struct_type_child_type(type, i)));
  }
}

void add_labels(const Api& api, duckdb_logical_type type, TypeShape& shape) {
  shape.internal = api.enum_internal_type(type);
  const std::uint32_t count = api.enum_dictionary_size(type);
  for (std::uint32_t i = 0; i < count; ++i) {
    shape.labels.push_back(taken(api, api.enum_dictionary_value(type, i)));
  }
}

std::string quoted(const std::string& text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    result += c;
    if (c == quote) {
      result += c;
    }
  }
  return result + quote;
}

std::string member_names(const TypeShape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.children.size(); ++i) {
    text += (i == 0 ? "" : ", ") + quoted(shape.labels[i], '"') + " " + name_of(shape.children[i]);
  }
  return text;
}

std::string label_names(const TypeShape& shape) {
  std::string text;
  for (const std::string& label : shape.labels) {
    text += (text.empty() ? "" : ", ") + quoted(label, '\'');
  }
  return text;
}

}  // namespace

TypeShape shape_of(const Api& api, duckdb_logical_type type) {
  TypeShape shape;
  shape.id = api.get_type_id(type);
  shape.alias = taken(api, api.logical_type_get_alias(type));
  switch (static_cast<int>(shape.id)) {
    case DUCKDB_TYPE_DECIMAL:
      shape.internal = api.decimal_internal_type(type);
      shape.width = api.decimal_width(type);
      shape.scale = api.decimal_scale(type);
      break;
    case DUCKDB_TYPE_ENUM:
      add_labels(api, type, shape);
      break;
    case DUCKDB_TYPE_LIST:
      shape.children.push_back(child_shape(api, api.list_type_child_type(type)));
      break;
    case DUCKDB_TYPE_ARRAY:
      shape.children.push_back(child_shape(api, api.array_type_child_type(type)));
      shape.array_size = api.array_type_array_size(type);
      break;
    case DUCKDB_TYPE_MAP:
      shape.children.push_back(child_shape(api, api.map_type_key_type(type)));
      shape.children.push_back(child_shape(api, api.map_type_value_type(type)));
      break;
    case DUCKDB_TYPE_STRUCT:
    case DUCKDB_TYPE_UNION:
      add_members(api, type, shape);
      break;
    default:
      break;
  }
  return shape;
}

std::string name_of(const TypeShape& shape) {
  switch (static_cast<int>(shape.id)) {
    case DUCKDB_TYPE_DECIMAL:
      return "DECIMAL(" + std::to_string(shape.width) + "," + std::to_string(shape.scale) + ")";
    case DUCKDB_TYPE_ENUM:
      return "ENUM(" + label_names(shape) + ")";
    case DUCKDB_TYPE_LIST:
      return name_of(shape.children[0]) + "[]";
    case DUCKDB_TYPE_ARRAY:
      return name_of(shape.children[0]) + "[" + std::to_string(shape.array_size) + "]";
    case DUCKDB_TYPE_MAP:
      return "MAP(" + name_of(shape.children[0]) + ", " + name_of(shape.children[1]) + ")";
    case DUCKDB_TYPE_STRUCT:
      return "STRUCT(" + member_names(shape) + ")";
    case DUCKDB_TYPE_UNION:
      return "UNION(" + member_names(shape) + ")";
    default:
      break;
  }
  if (shape.alias == "JSON") {
    return "JSON";
  }
  for (const TypeLine& line : kTypes) {
    if (line.id == shape.id) {
      return line.name;
    }
  }
  return "UNKNOWN";
}

Type type_of(const TypeShape& shape) {
  Type type;
  type.native = name_of(shape);
  type.kind = TypeKind::Native;
  switch (static_cast<int>(shape.id)) {
    case DUCKDB_TYPE_DECIMAL:
      type.kind = TypeKind::Numeric;
      type.precision = shape.width;
      type.scale = shape.scale;
      return type;
    case DUCKDB_TYPE_ENUM:
      type.kind = TypeKind::Enum;
      type.labels = shape.labels;
      return type;
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY:
      type.kind = TypeKind::Array;
      type.element.push_back(type_of(shape.children[0]));
      return type;
    case DUCKDB_TYPE_MAP:
      type.kind = TypeKind::Map;
      return type;
    case DUCKDB_TYPE_STRUCT:
      type.kind = TypeKind::Struct;
      return type;
    default:
      break;
  }
  if (shape.alias == "JSON") {
    type.kind = TypeKind::Json;
    return type;
  }
  for (const TypeLine& line : kTypes) {
    if (line.id == shape.id) {
      type.kind = line.kind;
    }
  }
  return type;
}

}  // namespace kedge::db::duckdb
