#include "db/postgres/types.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace kedge::db::postgres {
namespace {

using schema::Type;
using schema::TypeKind;

struct Builtin {
  std::uint32_t oid;
  std::uint32_t array_oid;
  TypeKind kind;
  const char* name;
};

constexpr std::array kBuiltins = {
    Builtin{16, 1000, TypeKind::Boolean, "boolean"},
    Builtin{17, 1001, TypeKind::Blob, "bytea"},
    Builtin{19, 1003, TypeKind::Text, "name"},
    Builtin{20, 1016, TypeKind::Int64, "bigint"},
    Builtin{21, 1005, TypeKind::Int16, "smallint"},
    Builtin{23, 1007, TypeKind::Int32, "integer"},
    Builtin{25, 1009, TypeKind::Text, "text"},
    Builtin{26, 1028, TypeKind::Native, "oid"},
    Builtin{114, 199, TypeKind::Json, "json"},
    Builtin{142, 143, TypeKind::Native, "xml"},
    Builtin{700, 1021, TypeKind::Real4, "real"},
    Builtin{701, 1022, TypeKind::Real8, "double precision"},
    Builtin{790, 791, TypeKind::Native, "money"},
    Builtin{869, 1041, TypeKind::Inet, "inet"},
    Builtin{1042, 1014, TypeKind::Char, "character"},
    Builtin{1043, 1015, TypeKind::Text, "character varying"},
    Builtin{1082, 1182, TypeKind::Date, "date"},
    Builtin{1083, 1183, TypeKind::Time, "time without time zone"},
    Builtin{1114, 1115, TypeKind::Timestamp, "timestamp without time zone"},
    Builtin{1184, 1185, TypeKind::TimestampTz, "timestamp with time zone"},
    Builtin{1186, 1187, TypeKind::Interval, "interval"},
    Builtin{1266, 1270, TypeKind::TimeTz, "time with time zone"},
    Builtin{1700, 1231, TypeKind::Numeric, "numeric"},
    Builtin{2950, 2951, TypeKind::Uuid, "uuid"},
    Builtin{3802, 3807, TypeKind::Json, "jsonb"},
};

// "timestamp without time zone" with a precision is "timestamp(3) without time zone".
void set_fraction(Type& type, int modifier) {
  type.precision = modifier;
  const std::string text = "(" + std::to_string(modifier) + ")";
  const std::size_t space = type.native.find(' ');
  type.native.insert(space == std::string::npos ? type.native.size() : space, text);
}

void apply_modifier(Type& type, int modifier) {
  if (modifier < 0) {
    return;
  }
  constexpr int kHeader = 4;  // VARHDRSZ
  if (type.native == "character varying" || type.native == "character") {
    type.length = modifier - kHeader;
    type.native += "(" + std::to_string(*type.length) + ")";
  } else if (type.kind == TypeKind::Numeric) {
    type.precision = ((modifier - kHeader) >> 16) & 0xffff;
    type.scale = (((modifier - kHeader) & 0x7ff) ^ 1024) - 1024;
    type.native += "(" + std::to_string(*type.precision) + "," + std::to_string(*type.scale) + ")";
  } else if (type.kind == TypeKind::Time || type.kind == TypeKind::TimeTz ||
             type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz) {
    set_fraction(type, modifier);
  }
}

template <class Number>
Value number_of(const char* text, std::size_t size) {
  Number value{};
  const auto [end, error] = std::from_chars(text, text + size, value);
  if (error != std::errc() || end != text + size) {
    return std::string(text, size);
  }
  return value;
}

Value real_of(const char* text, std::size_t size) {
  const std::string_view word(text, size);
  if (word == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (word == "Infinity" || word == "-Infinity") {
    const double infinity = std::numeric_limits<double>::infinity();
    return word[0] == '-' ? -infinity : infinity;
  }
  return number_of<double>(text, size);
}

int nibble(char c) {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

Value bytes_of(const char* text, std::size_t size) {
  if (size < 2 || text[0] != '\\' || text[1] != 'x') {
    return std::string(text, size);
  }
  Bytes bytes((size - 2) / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(nibble(text[2 + 2 * i]) * 16 + nibble(text[3 + 2 * i]));
  }
  return bytes;
}

}  // namespace

std::optional<Type> find_builtin(TypeKey key) {
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.oid != key.oid && builtin.array_oid != key.oid) {
      continue;
    }
    Type type;
    type.kind = builtin.kind;
    type.native = builtin.name;
    apply_modifier(type, key.modifier);
    if (builtin.oid == key.oid) {
      return type;
    }
    Type array;
    array.kind = TypeKind::Array;
    array.native = type.native + "[]";
    array.element.push_back(std::move(type));
    return array;
  }
  return std::nullopt;
}

const char* const kTypeQuery =
    "SELECT t.oid::bigint, m.modifier, pg_catalog.format_type(t.oid, m.modifier), t.typtype::text, "
    "t.typcategory::text, (SELECT e.typtype::text FROM pg_catalog.pg_type e WHERE e.oid = "
    "t.typelem), pg_catalog.format_type(t.typelem, m.modifier) "
    "FROM unnest($1::oid[], $2::int[]) AS m(oid, modifier) "
    "JOIN pg_catalog.pg_type t ON t.oid = m.oid";

Type type_of_row(const Row& row) {
  Type type;
  type.native = to_text(row.at(2));
  const auto kind_of = [](const std::string& typtype) {
    return typtype == "e" ? TypeKind::Enum : typtype == "d" ? TypeKind::Domain : TypeKind::Native;
  };
  type.kind = kind_of(to_text(row.at(3)));
  if (to_text(row.at(4)) == "A") {
    Type element;
    element.kind = kind_of(to_text(row.at(5)));
    element.native = to_text(row.at(6));
    type.kind = TypeKind::Array;
    type.element.push_back(std::move(element));
  }
  return type;
}

Value value_of(std::uint32_t oid, const char* text, std::size_t size) {
  switch (oid) {
    case 16:
      return size == 1 && text[0] == 't';
    case 20:
    case 21:
    case 23:
    case 26:
      return number_of<std::int64_t>(text, size);
    case 700:
    case 701:
      return real_of(text, size);
    case 17:
      return bytes_of(text, size);
    default:
      return std::string(text, size);
  }
}

}  // namespace kedge::db::postgres
