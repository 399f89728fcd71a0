#include "contracts/target_type.h"

#include <map>

#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

using schema::Type;
using schema::TypeKind;

// Spellings by system; an empty one means "no mapping".
struct Spelling {
  std::string_view postgres;
  std::string_view sqlite;
  std::string_view mysql;
  std::string_view sqlserver;
  std::string_view generic;  // the standard's names, which most servers behind ODBC know
};

const std::map<TypeKind, Spelling>& spellings() {
  static const std::map<TypeKind, Spelling> kSpellings = {
      {TypeKind::Boolean, {"boolean", "BOOLEAN", "tinyint(1)", "bit", "boolean"}},
      {TypeKind::Int8, {"smallint", "INTEGER", "tinyint", "smallint", "smallint"}},
      {TypeKind::UInt8, {"smallint", "INTEGER", "tinyint unsigned", "tinyint", "smallint"}},
      {TypeKind::Int16, {"smallint", "INTEGER", "smallint", "smallint", "smallint"}},
      {TypeKind::UInt16, {"integer", "INTEGER", "smallint unsigned", "int", "integer"}},
      {TypeKind::Int32, {"integer", "INTEGER", "int", "int", "integer"}},
      {TypeKind::UInt32, {"bigint", "INTEGER", "int unsigned", "bigint", "bigint"}},
      {TypeKind::Int64, {"bigint", "BIGINT", "bigint", "bigint", "bigint"}},
      {TypeKind::UInt64,
       {"numeric(20,0)", "BIGINT", "bigint unsigned", "decimal(20,0)", "decimal(20,0)"}},
      {TypeKind::Int128,
       {"numeric(38,0)", "BIGINT", "decimal(38,0)", "decimal(38,0)", "decimal(38,0)"}},
      {TypeKind::UInt128, {"", "", "", "", ""}},
      {TypeKind::Real4, {"real", "REAL", "float", "real", "real"}},
      {TypeKind::Real8, {"double precision", "REAL", "double", "float", "double precision"}},
      {TypeKind::Blob, {"bytea", "BLOB", "longblob", "varbinary(max)", "blob"}},
      {TypeKind::Date, {"date", "DATE", "date", "date", "date"}},
      {TypeKind::Time, {"time", "TIME", "time(6)", "time", "time"}},
      {TypeKind::Timestamp, {"timestamp", "TIMESTAMP", "datetime(6)", "datetime2(6)", "timestamp"}},
      {TypeKind::TimestampTz,
       {"timestamptz", "TIMESTAMPTZ", "timestamp(6)", "datetimeoffset(6)",
        "timestamp with time zone"}},
      {TypeKind::Interval, {"interval", "", "", "", ""}},
      {TypeKind::Uuid, {"uuid", "UUID", "char(36)", "uniqueidentifier", "char(36)"}},
      {TypeKind::Json, {"jsonb", "JSON", "json", "nvarchar(max)", "text"}},
      {TypeKind::Struct, {"jsonb", "JSON", "json", "nvarchar(max)", "text"}},
      {TypeKind::Map, {"jsonb", "JSON", "json", "nvarchar(max)", "text"}},
      {TypeKind::Array, {"jsonb", "JSON", "json", "nvarchar(max)", "text"}},
  };
  return kSpellings;
}

std::string_view pick(const Spelling& spelling, System system) {
  switch (system) {
    case System::Postgres:
      return spelling.postgres;
    case System::Sqlite:
      return spelling.sqlite;
    case System::Mysql:
      return spelling.mysql;
    case System::SqlServer:
      return spelling.sqlserver;
    case System::Generic:
      return spelling.generic;
    case System::Duckdb:
      break;
  }
  return {};
}

Type make(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type decimal(int precision, int scale) {
  Type type = make(TypeKind::Numeric);
  type.precision = precision;
  type.scale = scale;
  return type;
}

// What the created column reads back as, where that is not the type itself.
Type read_back(System system, const Type& type) {
  const bool text_json = type.kind == TypeKind::Struct || type.kind == TypeKind::Map ||
                         type.kind == TypeKind::Array || type.kind == TypeKind::Json;
  if (text_json) {
    return make(system == System::SqlServer || system == System::Generic ? TypeKind::Text
                                                                         : TypeKind::Json);
  }
  if (type.kind == TypeKind::Timestamp) {
    return make(TypeKind::Timestamp);
  }
  if (system == System::Sqlite) {
    if (is_integer(type.kind)) {
      return make(TypeKind::Int64);
    }
    return type.kind == TypeKind::Real4 ? make(TypeKind::Real8) : type;
  }
  if (type.kind == TypeKind::Int128) {
    return decimal(38, 0);
  }
  if (system == System::Mysql || system == System::Generic) {
    if (type.kind == TypeKind::Uuid) {
      Type text = make(TypeKind::Text);
      text.length = 36;
      return text;
    }
  }
  if (system == System::Mysql) {
    return type;
  }
  static const std::map<TypeKind, TypeKind> kWider = {{TypeKind::Int8, TypeKind::Int16},
                                                      {TypeKind::UInt16, TypeKind::Int32},
                                                      {TypeKind::UInt32, TypeKind::Int64}};
  if (type.kind == TypeKind::UInt64) {
    return decimal(20, 0);
  }
  if (type.kind == TypeKind::UInt8 && (system == System::Postgres || system == System::Generic)) {
    return make(TypeKind::Int16);
  }
  const auto wider = kWider.find(type.kind);
  return wider == kWider.end() ? type : make(wider->second);
}

bool needs_range_check(System system, const Type& type) {
  return (system == System::Sqlite &&
          (type.kind == TypeKind::UInt64 || type.kind == TypeKind::Int128)) ||
         (system != System::Sqlite && system != System::Duckdb && type.kind == TypeKind::Int128);
}

TargetType text_type(System system, const Type& type, ColumnUse use) {
  TargetType result;
  result.read_as = make(TypeKind::Text);
  result.read_as.length = type.length;
  const bool keyed = use == ColumnUse::Key && !type.length &&
                     (system == System::Mysql || system == System::SqlServer);
  if (keyed) {
    result.read_as.length = 255;
    result.range_checked = true;
  }
  const std::string length =
      result.read_as.length ? "(" + std::to_string(*result.read_as.length) + ")" : "";
  switch (system) {
    case System::Postgres:
      result.native = length.empty() ? "text" : "varchar" + length;
      break;
    case System::Sqlite:
      result.native = length.empty() ? "TEXT" : "VARCHAR" + length;
      break;
    case System::Duckdb:
      result.native = "VARCHAR";
      result.read_as.length = std::nullopt;
      break;
    case System::Mysql:
      result.native = length.empty() ? "longtext" : "varchar" + length;
      break;
    case System::SqlServer:
      result.native = length.empty() ? "nvarchar(max)" : "nvarchar" + length;
      break;
    case System::Generic:
      result.native = length.empty() ? "text" : "varchar" + length;
      break;
  }
  return result;
}

std::string decimal_name(System system, const Type& type) {
  const std::string numbers = "(" + std::to_string(type.precision.value_or(38)) + "," +
                              std::to_string(type.scale.value_or(0)) + ")";
  switch (system) {
    case System::Postgres:
      return "numeric" + numbers;
    case System::Sqlite:
    case System::Duckdb:
      return "DECIMAL" + numbers;
    case System::Mysql:
    case System::SqlServer:
    case System::Generic:
      return "decimal" + numbers;
  }
  return "";
}

}  // namespace

std::optional<System> system_of_connector(std::string_view connector, std::string_view dialect) {
  if (connector == "odbc" && dialect == "sqlserver") {
    return System::SqlServer;
  }
  static const std::map<std::string_view, System> kSystems = {
      {"postgres", System::Postgres}, {"sqlite", System::Sqlite}, {"d1", System::Sqlite},
      {"duckdb", System::Duckdb},     {"mysql", System::Mysql},   {"sqlserver", System::SqlServer},
      {"odbc", System::Generic}};
  const auto found = kSystems.find(connector);
  return found == kSystems.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TargetType> target_type(System system, const Type& type, ColumnUse use) {
  const bool text =
      type.kind == TypeKind::Text || type.kind == TypeKind::Char || type.kind == TypeKind::Enum;
  if (system == System::Duckdb) {
    if (type.kind == TypeKind::Text || type.kind == TypeKind::Char) {
      return text_type(system, type, use);
    }
    const Type kept = underlying_type(type);
    return TargetType{type_name(kept), kept, false};
  }
  if (text) {
    return text_type(system, type, use);
  }
  if (type.kind == TypeKind::Numeric) {
    return TargetType{decimal_name(system, type), type, false};
  }
  const auto found = spellings().find(type.kind);
  if (found == spellings().end() || pick(found->second, system).empty()) {
    return std::nullopt;
  }
  return TargetType{std::string(pick(found->second, system)), read_back(system, type),
                    needs_range_check(system, type)};
}

std::string marker_type(System system) {
  switch (system) {
    case System::Postgres:
      return "timestamptz";
    case System::Sqlite:
    case System::Duckdb:
      return "TIMESTAMPTZ";
    case System::Mysql:
      return "datetime(6)";
    case System::SqlServer:
      return "datetime2(6)";
    case System::Generic:
      return "timestamp";
  }
  return "";
}

}  // namespace kedge::contracts
