#include "db/mysql/types.h"

#include <charconv>

namespace kedge::db::mysql {
namespace {

using schema::Type;
using schema::TypeKind;

constexpr unsigned int kBinaryCharset = 63;

bool has(const MYSQL_FIELD& field, unsigned int flag) {
  return (field.flags & flag) != 0;
}

// How many bytes a character takes at most in the charset that results come in.
unsigned long bytes_per_character(const MYSQL_FIELD& field) {
  switch (field.charsetnr) {
    case 33:
    case 83:
      return 3;  // utf8mb3
    case 8:
    case 11:
    case 47:
      return 1;  // latin1, ascii
    default:
      return 4;  // utf8mb4, what we ask for
  }
}

Type integer(const MYSQL_FIELD& field, TypeKind plain, TypeKind without_sign, const char* name) {
  Type type;
  const bool no_sign = has(field, UNSIGNED_FLAG);
  type.kind = no_sign ? without_sign : plain;
  type.native = std::string(name) + (no_sign ? " unsigned" : "");
  return type;
}

Type decimal(const MYSQL_FIELD& field) {
  Type type;
  type.kind = TypeKind::Numeric;
  type.scale = static_cast<int>(field.decimals);
  type.precision = static_cast<int>(field.length) - (field.decimals > 0 ? 1 : 0) -
                   (has(field, UNSIGNED_FLAG) ? 0 : 1);
  type.native = "decimal(" + std::to_string(*type.precision) + "," + std::to_string(*type.scale) +
                ")" + (has(field, UNSIGNED_FLAG) ? " unsigned" : "");
  return type;
}

Type temporal(const MYSQL_FIELD& field, TypeKind kind, const char* name) {
  Type type;
  type.kind = kind;
  type.native = name;
  if (field.decimals > 0 && field.decimals <= 6) {
    type.precision = static_cast<int>(field.decimals);
    type.native += "(" + std::to_string(field.decimals) + ")";
  }
  return type;
}

Type text(const MYSQL_FIELD& field) {
  Type type;
  if (has(field, ENUM_FLAG) || has(field, SET_FLAG)) {
    type.kind = has(field, ENUM_FLAG) ? TypeKind::Enum : TypeKind::Native;
    type.native = has(field, ENUM_FLAG) ? "enum" : "set";
    return type;
  }
  const bool binary = field.charsetnr == kBinaryCharset;
  const bool fixed = field.type == MYSQL_TYPE_STRING;
  type.kind = binary ? TypeKind::Blob : fixed ? TypeKind::Char : TypeKind::Text;
  type.length = static_cast<int>(field.length / (binary ? 1 : bytes_per_character(field)));
  const std::string name = binary ? (fixed ? "binary" : "varbinary") : fixed ? "char" : "varchar";
  type.native = name + "(" + std::to_string(*type.length) + ")";
  return type;
}

Type large(const MYSQL_FIELD& field) {
  Type type;
  const bool binary = field.charsetnr == kBinaryCharset;
  type.kind = binary ? TypeKind::Blob : TypeKind::Text;
  const unsigned long length = field.length / (binary ? 1 : bytes_per_character(field));
  const std::string size = length <= 0xff       ? "tiny"
                           : length <= 0xffff   ? ""
                           : length <= 0xffffff ? "medium"
                                                : "long";
  type.native = size + (binary ? "blob" : "text");
  return type;
}

Type named(TypeKind kind, const char* name) {
  Type type;
  type.kind = kind;
  type.native = name;
  return type;
}

template <class Number>
Value number_of(const char* text, std::size_t size) {
  Number value{};
  const auto [end, error] = std::from_chars(text, text + size, value);
  return error == std::errc() && end == text + size ? Value(value) : Value(std::string(text, size));
}

Value bits_of(const MYSQL_FIELD& field, const char* text, std::size_t size) {
  if (field.length == 1 && size == 1) {
    return text[0] != 0;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(text);
  return Bytes(bytes, bytes + size);
}

}  // namespace

Type type_of(const MYSQL_FIELD& field) {
  switch (static_cast<int>(field.type)) {
    case MYSQL_TYPE_TINY:
      return field.length == 1 && !has(field, UNSIGNED_FLAG)
                 ? named(TypeKind::Boolean, "tinyint(1)")
                 : integer(field, TypeKind::Int8, TypeKind::UInt8, "tinyint");
    case MYSQL_TYPE_SHORT:
      return integer(field, TypeKind::Int16, TypeKind::UInt16, "smallint");
    case MYSQL_TYPE_INT24:
      return integer(field, TypeKind::Int32, TypeKind::UInt32, "mediumint");
    case MYSQL_TYPE_LONG:
      return integer(field, TypeKind::Int32, TypeKind::UInt32, "int");
    case MYSQL_TYPE_LONGLONG:
      return integer(field, TypeKind::Int64, TypeKind::UInt64, "bigint");
    case MYSQL_TYPE_YEAR:
      return named(TypeKind::Int32, "year");
    case MYSQL_TYPE_FLOAT:
      return named(TypeKind::Real4, "float");
    case MYSQL_TYPE_DOUBLE:
      return named(TypeKind::Real8, "double");
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return decimal(field);
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
      return named(TypeKind::Date, "date");
    case MYSQL_TYPE_TIME:
      return temporal(field, TypeKind::Time, "time");
    case MYSQL_TYPE_DATETIME:
      return temporal(field, TypeKind::Timestamp, "datetime");
    case MYSQL_TYPE_TIMESTAMP:
      return temporal(field, TypeKind::TimestampTz, "timestamp");
    case MYSQL_TYPE_BIT: {
      Type type = named(field.length == 1 ? TypeKind::Boolean : TypeKind::Bit, "bit");
      type.native += "(" + std::to_string(field.length) + ")";
      return type;
    }
    case MYSQL_TYPE_JSON:
      return named(TypeKind::Json, "json");
    case MYSQL_TYPE_ENUM:
      return named(TypeKind::Enum, "enum");
    case MYSQL_TYPE_SET:
      return named(TypeKind::Native, "set");
    case MYSQL_TYPE_GEOMETRY:
      return named(TypeKind::Native, "geometry");
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VAR_STRING:
    case MYSQL_TYPE_VARCHAR:
      return text(field);
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
      return large(field);
    default:
      return {};
  }
}

Value value_of(const MYSQL_FIELD& field, const char* text, std::size_t size) {
  switch (static_cast<int>(field.type)) {
    case MYSQL_TYPE_TINY:
      if (field.length == 1 && size == 1 && (text[0] == '0' || text[0] == '1')) {
        return text[0] == '1';
      }
      return number_of<std::int64_t>(text, size);
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return number_of<std::int64_t>(text, size);
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
      return number_of<double>(text, size);
    case MYSQL_TYPE_BIT:
      return bits_of(field, text, size);
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VAR_STRING:
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_GEOMETRY:
      if (field.charsetnr == kBinaryCharset && !has(field, ENUM_FLAG) && !has(field, SET_FLAG)) {
        const auto* bytes = reinterpret_cast<const std::byte*>(text);
        return Bytes(bytes, bytes + size);
      }
      return std::string(text, size);
    default:
      return std::string(text, size);
  }
}

}  // namespace kedge::db::mysql
