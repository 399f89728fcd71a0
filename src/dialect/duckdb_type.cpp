// Native type of a database to the DuckDB type that its values land in (spec/contracts.md 5.3).
#include <array>

#include "base/text.h"
#include "dialect/dialect.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

Type of(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type decimal(int precision, int scale) {
  Type type = of(TypeKind::Numeric);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type landed_decimal(const Type& type) {
  return type.precision && *type.precision <= 38 ? decimal(*type.precision, type.scale.value_or(0))
                                                 : decimal(38, 9);
}

Type text_of(const Type& type) {
  Type text = of(TypeKind::Text);
  text.length = type.length;
  return text;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// By the declared text alone: a statement's columns come without their facets.
Type sqlite_type(const std::string& native) {
  const TypeText text = take_apart(native);
  const std::string& words = text.words;
  Type type = get_dialect(schema::Dialect::Sqlite).parse_type(native);
  static constexpr std::array kWhole = {
      NamedType{"", TypeKind::Text},     NamedType{"date", TypeKind::Date},
      NamedType{"time", TypeKind::Time}, NamedType{"blob", TypeKind::Blob},
      NamedType{"uuid", TypeKind::Uuid}, NamedType{"json", TypeKind::Json}};
  if (const std::optional<TypeKind> kind = find_kind(kWhole, words)) {
    return of(*kind);
  }
  static constexpr std::array kParts = {NamedType{"timestamptz", TypeKind::TimestampTz},
                                        NamedType{"timestamp", TypeKind::Timestamp},
                                        NamedType{"datetime", TypeKind::Timestamp},
                                        NamedType{"bool", TypeKind::Boolean},
                                        NamedType{"int", TypeKind::Int64},
                                        NamedType{"char", TypeKind::Text},
                                        NamedType{"clob", TypeKind::Text},
                                        NamedType{"text", TypeKind::Text},
                                        NamedType{"real", TypeKind::Real8},
                                        NamedType{"floa", TypeKind::Real8},
                                        NamedType{"doub", TypeKind::Real8}};
  for (const NamedType& part : kParts) {
    if (contains(words, part.words)) {
      if (part.kind == TypeKind::Text) {
        type.kind = TypeKind::Text;
        read_arguments(text, type);
      }
      return part.kind == TypeKind::Text ? text_of(type) : of(part.kind);
    }
  }
  if (words == "numeric" || words == "decimal" || words == "dec") {
    if (text.arguments.empty()) {
      return of(TypeKind::Real8);
    }
    type.kind = TypeKind::Numeric;
    read_arguments(text, type);
    return landed_decimal(type);
  }
  return of(TypeKind::Text);
}

Type mysql_type(const Type& type) {
  const TypeText text = take_apart(type.native);
  if (text.words == "bit") {
    return of(argument(text, 0).value_or(1) == 1 ? TypeKind::Boolean : TypeKind::Blob);
  }
  if (text.words == "year") {
    return of(TypeKind::Int32);
  }
  if (type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz) {
    return of(type.kind);
  }
  if (type.kind == TypeKind::Uuid) {
    return of(TypeKind::Uuid);
  }
  return to_duckdb(schema::Dialect::Ansi, type);
}

Type postgres_type(const Type& type) {
  if (type.kind == TypeKind::Native && type.native == "oid") {
    return of(TypeKind::Int64);
  }
  return to_duckdb(schema::Dialect::Ansi, type);
}

// "int identity" is an int.
Type sqlserver_type(const Type& type) {
  constexpr std::string_view kIdentity = " identity";
  TypeText text = take_apart(type.native);
  if (text.words.ends_with(kIdentity)) {
    text.words.resize(text.words.size() - kIdentity.size());
  }
  static constexpr std::array kNames = {NamedType{"bit", TypeKind::Boolean},
                                        NamedType{"tinyint", TypeKind::UInt8},
                                        NamedType{"real", TypeKind::Real4},
                                        NamedType{"image", TypeKind::Blob},
                                        NamedType{"rowversion", TypeKind::Blob},
                                        NamedType{"timestamp", TypeKind::Blob},
                                        NamedType{"datetimeoffset", TypeKind::TimestampTz},
                                        NamedType{"datetime", TypeKind::Timestamp},
                                        NamedType{"datetime2", TypeKind::Timestamp},
                                        NamedType{"smalldatetime", TypeKind::Timestamp},
                                        NamedType{"uniqueidentifier", TypeKind::Uuid}};
  if (const std::optional<TypeKind> kind = find_kind(kNames, text.words)) {
    return of(*kind);
  }
  if (text.words == "float") {
    return of(argument(text, 0).value_or(53) <= 24 ? TypeKind::Real4 : TypeKind::Real8);
  }
  if (text.words == "money" || text.words == "smallmoney") {
    return text.words == "money" ? decimal(19, 4) : decimal(10, 4);
  }
  return to_duckdb(schema::Dialect::Ansi, type);
}

// By the canonical kind: what all dialects share.
Type common_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::Int128:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
    case TypeKind::Real4:
    case TypeKind::Real8:
    case TypeKind::Blob:
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Interval:
    case TypeKind::Uuid:
    case TypeKind::Json:
      return of(type.kind);
    case TypeKind::Numeric:
      return landed_decimal(type);
    case TypeKind::Text:
    case TypeKind::Char:
      return text_of(type);
    case TypeKind::Array: {
      Type list = of(TypeKind::Array);
      list.element.push_back(type.element.empty() ? of(TypeKind::Text)
                                                  : common_type(type.element[0]));
      return list;
    }
    case TypeKind::Domain:
      return type.element.empty() ? of(TypeKind::Text) : common_type(type.element[0]);
    case TypeKind::Unknown:
    case TypeKind::Bit:
    case TypeKind::TimeTz:
    case TypeKind::Inet:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Enum:
    case TypeKind::Native:
      return of(TypeKind::Text);
  }
  return of(TypeKind::Text);
}

}  // namespace

Type to_duckdb(schema::Dialect dialect, const Type& type) {
  switch (dialect) {
    case schema::Dialect::Sqlite:
    case schema::Dialect::D1:
      return type.native.empty() ? common_type(type) : sqlite_type(type.native);
    case schema::Dialect::Mysql:
      return mysql_type(type);
    case schema::Dialect::Postgres:
      return postgres_type(type);
    case schema::Dialect::Duckdb: {
      Type same = type;
      same.native = type.kind == TypeKind::Native || type.kind == TypeKind::Struct ||
                            type.kind == TypeKind::Map
                        ? type.native
                        : "";
      return same;
    }
    case schema::Dialect::Ansi:
      return common_type(type);
  }
  return common_type(type);
}

Type sqlserver_to_duckdb(const Type& type) {
  return sqlserver_type(type);
}

Type to_duckdb(std::string_view dialect, std::string_view native) {
  const std::string name = base::to_lower(dialect);
  if (name == "sqlserver") {
    return sqlserver_type(get_dialect(schema::Dialect::Ansi).parse_type(native));
  }
  const std::optional<schema::Dialect> known =
      name == "mariadb" ? schema::Dialect::Mysql : schema::find_dialect(name);
  const schema::Dialect id = known.value_or(schema::Dialect::Ansi);
  return to_duckdb(id, get_dialect(id).parse_type(native));
}

}  // namespace kedge::dialect
