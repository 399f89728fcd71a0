// The live catalog against the descriptors: one query, compared by families of types, since an
// engine spells its types in many ways.
#include <algorithm>
#include <map>

#include "kedge/startup.hpp"

namespace kedge {
namespace {

// Each row: schema (also as '' where a bare name finds the table), table, column, type, nullable.
constexpr const char* kSqlite =
    "SELECT '', m.name, p.name, p.type, CASE WHEN p.[notnull] = 1 OR p.pk > 0 THEN 0 ELSE 1 END "
    "FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type IN ('table', 'view')";
constexpr const char* kPostgres =
    "SELECT v.s, c.relname, a.attname, CASE y.typtype WHEN 'e' THEN 'enum' "
    "WHEN 'd' THEN format_type(y.typbasetype, NULL) ELSE format_type(a.atttypid, NULL) END, "
    "CASE WHEN a.attnotnull THEN 0 ELSE 1 END FROM pg_attribute a "
    "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace s ON s.oid = c.relnamespace "
    "JOIN pg_type y ON y.oid = a.atttypid "
    "CROSS JOIN LATERAL (VALUES (s.nspname::text), ('')) v(s) "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped "
    "AND s.nspname NOT IN ('pg_catalog', 'information_schema') AND s.nspname NOT LIKE 'pg_toast%' "
    "AND (v.s <> '' OR pg_table_is_visible(c.oid))";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

std::string family(const std::string& native) {
  static constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {"array", "array"},         {"[]", "array"},
      {"json", "json"},           {"bool", "boolean"},
      {"interval", "other"},      {"point", "other"},
      {"int", "integer"},         {"serial", "integer"},
      {"char", "text"},           {"text", "text"},
      {"clob", "text"},           {"real", "number"},
      {"floa", "number"},         {"doub", "number"},
      {"numeric", "number"},      {"decimal", "number"},
      {"timestamp", "timestamp"}, {"datetime", "timestamp"},
      {"date", "date"},           {"time", "time"},
      {"uuid", "uuid"},           {"blob", "bytes"},
      {"bytea", "bytes"},         {"binary", "bytes"}};
  const std::string text = lower(native);
  for (const auto& [part, name] : kRules) {
    if (text.find(part) != std::string::npos) {
      return std::string(name);
    }
  }
  return "other";
}

// Families that a neutral type may live in, between blanks.
std::string_view accepted(std::string_view type) {
  static const std::map<std::string_view, std::string_view> kAccepted = {
      {"string", " text "},
      {"uri", " text "},
      {"inet", " text other "},
      {"int", " integer "},
      {"long", " integer "},
      {"currency", " integer "},
      {"float", " number "},
      {"double", " number "},
      {"decimal", " number text "},
      {"boolean", " boolean integer "},
      {"date", " date text "},
      {"time", " time text "},
      {"timestamp", " timestamp text "},
      {"timestamp_local", " timestamp text "},
      {"uuid", " uuid text "},
      {"enum", " text integer other "},
      {"bytes", " bytes "},
      {"map", " json text "},
      {"object", " json text "}};
  if (type.ends_with("[]")) {
    return " array json text ";
  }
  const auto found = kAccepted.find(type);
  return found != kAccepted.end() ? found->second : " other ";
}

struct LiveColumn {
  std::string type;
  bool nullable = true;
};
using LiveTable = std::map<std::string, LiveColumn>;

std::map<std::string, LiveTable> read_catalog(DatabaseEngine engine, const CatalogQuery& query) {
  std::map<std::string, LiveTable> live;
  for (const CatalogRow& row : query(engine == DatabaseEngine::Sqlite ? kSqlite : kPostgres)) {
    const auto cell = [&row](std::size_t i) {
      return row.size() > i ? row[i].value_or("") : std::string();
    };
    live[cell(0) + "." + cell(1)][cell(2)] = {cell(3), cell(4) == "1"};
  }
  return live;
}

void compare(const TableDescriptor& table, const LiveTable& live, StartupReport& report) {
  for (const ColumnDescriptor& column : table.columns) {
    const std::string at = std::string(table.object) + ": column " + std::string(table.table) +
                           "." + std::string(column.column);
    const auto found = live.find(std::string(column.column));
    if (found == live.end()) {
      report.problems.push_back({"ERR_STARTUP_DB_COLUMN", at + " is not in the database"});
      continue;
    }
    if (table.view) {
      continue;  // views tell neither type nor NULL reliably
    }
    if (accepted(column.type).find(" " + family(found->second.type) + " ") ==
        std::string_view::npos) {
      report.problems.push_back(
          {"ERR_STARTUP_DB_TYPE", at + " is " + found->second.type + " in the database, " +
                                      std::string(column.type) + " in the code"});
    }
    if (found->second.nullable != column.nullable) {
      report.problems.push_back(
          {"ERR_STARTUP_DB_NULL",
           at + (found->second.nullable ? " is nullable in the database, not in the code"
                                        : " is not nullable in the database, but in the code")});
    }
  }
}

}  // namespace

StartupReport check_startup_database(std::span<const TableDescriptor> tables, DatabaseEngine engine,
                                     const CatalogQuery& query) {
  const std::map<std::string, LiveTable> live = read_catalog(engine, query);
  StartupReport report;
  for (const TableDescriptor& table : tables) {
    const std::string schema(engine == DatabaseEngine::Postgres ? table.schema : "");
    const auto found = live.find(schema + "." + std::string(table.table));
    if (found == live.end()) {
      report.problems.push_back({"ERR_STARTUP_DB_TABLE", std::string(table.object) + ": table " +
                                                             std::string(table.table) +
                                                             " is not in the database"});
      continue;
    }
    compare(table, found->second, report);
  }
  return report;
}

}  // namespace kedge
