#include "pipeline/write_sql.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "pipeline/nested.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

using schema::Type;
using schema::TypeKind;

std::string list_of(System system, const std::vector<std::string>& names,
                    const std::string& qualifier = "") {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + qualifier + quote_for(system, name);
  }
  return list;
}

std::string key_match(const TableSql& target, const std::string& left, const std::string& right) {
  std::string condition;
  for (const std::string& key : target.keys) {
    const std::string name = quote_for(target.system, key);
    condition +=
        (condition.empty() ? "" : " AND ") + left + "." + name + " = " + right + "." + name;
  }
  return condition;
}

std::vector<std::string> others(const TableSql& target) {
  std::vector<std::string> names;
  for (const std::string& column : target.columns) {
    if (std::find(target.keys.begin(), target.keys.end(), column) == target.keys.end()) {
      names.push_back(column);
    }
  }
  return names;
}

std::string exists_in(const TableSql& target, const std::string& side, DeleteWhere where) {
  return std::string(where == DeleteWhere::KeyAbsent ? "NOT " : "") + "EXISTS (SELECT 1 FROM " +
         side + " AS kedge_side WHERE " + key_match(target, "kedge_side", target.table) + ")";
}

std::string is_unmarked(const TableSql& target) {
  return quote_for(target.system, contracts::kMarkerColumn) + " IS NULL";
}

std::string assignments(const TableSql& target, const std::string& source_prefix,
                        const std::string& source_suffix, const std::string& marker) {
  std::string list;
  for (const std::string& column : others(target)) {
    const std::string name = quote_for(target.system, column);
    list += (list.empty() ? "" : ", ") + name + " = " + source_prefix + name + source_suffix;
  }
  if (!marker.empty()) {
    list += (list.empty() ? "" : ", ") + quote_for(target.system, marker) + " = NULL";
  }
  return list;
}

std::string upsert_with_conflict(const TableSql& target, const std::string& side,
                                 const std::string& marker) {
  const std::string updates = assignments(target, "excluded.", "", marker);
  return "INSERT INTO " + target.table + " (" + list_of(target.system, target.columns) +
         ") SELECT " + list_of(target.system, target.columns) + " FROM " + side +
         " WHERE true ON CONFLICT (" + list_of(target.system, target.keys) + ") DO " +
         (updates.empty() ? "NOTHING" : "UPDATE SET " + updates);
}

std::string upsert_with_duplicate_key(const TableSql& target, const std::string& side,
                                      const std::string& marker) {
  std::string updates = assignments(target, "VALUES(", ")", marker);
  if (updates.empty()) {
    const std::string key = quote_for(target.system, target.keys.at(0));
    updates = key + " = VALUES(" + key + ")";
  }
  return "INSERT INTO " + target.table + " (" + list_of(target.system, target.columns) +
         ") SELECT " + list_of(target.system, target.columns) + " FROM " + side +
         " ON DUPLICATE KEY UPDATE " + updates;
}

// Rows that are there are updated, so that what the input lacks keeps its value.
std::vector<std::string> update_then_insert(const TableSql& target, const std::string& side,
                                            const std::string& marker) {
  std::vector<std::string> statements;
  const std::string updates = assignments(target, "kedge_side.", "", marker);
  if (!updates.empty()) {
    statements.push_back("UPDATE " + target.table + " SET " + updates + " FROM " + side +
                         " AS kedge_side WHERE " + key_match(target, "kedge_side", target.table));
  }
  statements.push_back("INSERT INTO " + target.table + " (" +
                       list_of(target.system, target.columns) + ") SELECT " +
                       list_of(target.system, target.columns, "kedge_side.") + " FROM " + side +
                       " AS kedge_side WHERE NOT EXISTS (SELECT 1 FROM " + target.table +
                       " WHERE " + key_match(target, "kedge_side", target.table) + ")");
  return statements;
}

bool is_real(TypeKind kind) {
  return kind == TypeKind::Real4 || kind == TypeKind::Real8;
}

bool is_nanoseconds(const Type& type) {
  return type.kind == TypeKind::Timestamp && type.precision == 9;
}

// SQLite gives these columns NUMERIC affinity: what looks like a number becomes an INTEGER of 64
// bits or a DOUBLE, so that must be able to say it again.
std::string sqlite_range(const std::string& x, const Type& type) {
  if (type.kind == TypeKind::Int128 || type.kind == TypeKind::UInt64) {
    return x + " > 9223372036854775807 OR " + x + " < -9223372036854775808";
  }
  if (is_real(type.kind)) {
    return "isnan(" + x + ")";
  }
  if (type.kind == TypeKind::Numeric) {
    const std::string name = contracts::type_name(type);
    return "(" + x + " <> trunc(" + x + ") OR TRY_CAST(" + x + " AS BIGINT) IS DISTINCT FROM " + x +
           ") AND TRY_CAST(CAST(CAST(" + x + " AS DOUBLE) AS VARCHAR) AS " + name +
           ") IS DISTINCT FROM " + x;
  }
  if (type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp ||
      type.kind == TypeKind::TimestampTz) {
    return (type.kind == TypeKind::TimestampTz ? "NOT isfinite(" + x + ") OR "
                                               : "isfinite(" + x + ") AND ") +
           x + " < '0001-01-01'";
  }
  if (type.kind == TypeKind::Json) {
    const std::string text = "CAST(" + x + " AS VARCHAR)";
    return "json_type(" + x +
           ") IN ('DOUBLE', 'UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT') AND "
           "TRY_CAST(" +
           text + " AS BIGINT) IS NULL AND length(regexp_replace(" + text +
           ", '[^0-9]', '', 'g')) > 15";
  }
  return "";
}

// Dates of the Christian era with four digits: all that ODBC and most servers can say.
std::string outside_of_common_years(const std::string& x) {
  return "NOT isfinite(" + x + ") OR " + x + " < '0001-01-01' OR " + x + " >= '10000-01-01'";
}

bool is_date_or_timestamp(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz;
}

std::string holds_nul(const std::string& x) {
  return "contains(CAST(" + x + " AS VARCHAR), chr(0))";
}

std::string postgres_range(const std::string& x, TypeKind kind) {
  if (is_date_or_timestamp(kind)) {
    return "isfinite(" + x + ") AND (" + x + " < '4714-11-24 (BC)'" +
           (kind == TypeKind::Date ? " OR " + x + " > '5874897-12-31')" : ")");
  }
  return kind == TypeKind::Text || kind == TypeKind::Json ? holds_nul(x) : "";
}

std::string mysql_range(const std::string& x, TypeKind kind) {
  if (is_real(kind)) {
    return "isnan(" + x + ") OR isinf(" + x + ")";
  }
  if (kind == TypeKind::TimestampTz) {
    return "NOT isfinite(" + x + ") OR " + x + " < '1970-01-01 00:00:01+00' OR " + x +
           " >= '2038-01-19 03:14:08+00'";
  }
  return is_date_or_timestamp(kind) ? outside_of_common_years(x) : "";
}

// What goes through ODBC: its dates have four digits, and a driver ends a text at a NUL.
std::string odbc_range(System system, const std::string& x, TypeKind kind) {
  if (is_date_or_timestamp(kind)) {
    return outside_of_common_years(x);
  }
  if (system == System::SqlServer && is_real(kind)) {
    return "isnan(" + x + ") OR isinf(" + x + ")";
  }
  return system == System::Generic && kind == TypeKind::Text ? holds_nul(x) : "";
}

}  // namespace

std::string quote_for(System system, std::string_view name) {
  if (system == System::Mysql) {
    return '`' + base::replace_all(std::string(name), "`", "``") + '`';
  }
  if (system == System::SqlServer) {
    return '[' + base::replace_all(std::string(name), "]", "]]") + ']';
  }
  return quote_name(name);
}

std::string quote_entity_for(System system, const std::string& entity) {
  const std::size_t dot = entity.find('.');
  if (dot == std::string::npos) {
    return quote_for(system, entity);
  }
  return quote_for(system, entity.substr(0, dot)) + "." + quote_for(system, entity.substr(dot + 1));
}

std::string side_name(System system) {
  return system == System::SqlServer ? "#_kedge_side" : "_kedge_side";
}

std::string create_table_sql(System system, const std::string& table,
                             const std::vector<NewColumn>& columns,
                             const std::vector<std::string>& keys) {
  std::string list;
  for (const NewColumn& column : columns) {
    list += (list.empty() ? "" : ", ") + quote_for(system, column.name) + " " + column.type +
            (column.required ? " NOT NULL" : (system == System::Mysql ? " NULL" : ""));
  }
  if (!keys.empty()) {
    list += ", PRIMARY KEY (" + list_of(system, keys) + ")";
  }
  return "CREATE TABLE " + table + " (" + list + ")";
}

std::optional<std::string> alter_sql(System system, const std::string& table,
                                     const contracts::Alteration& alteration) {
  if (!alteration.statement) {
    return std::nullopt;
  }
  const std::string column = quote_for(system, alteration.column);
  if (alteration.kind != contracts::AlterationKind::Widened) {
    return "ALTER TABLE " + table + (system == System::SqlServer ? " ADD " : " ADD COLUMN ") +
           column + " " + alteration.to + (system == System::Mysql ? " NULL" : "");
  }
  if (system == System::Mysql) {
    return "ALTER TABLE " + table + " MODIFY COLUMN " + column + " " + alteration.to +
           alteration.clauses;
  }
  return "ALTER TABLE " + table + " ALTER COLUMN " + column +
         (system == System::SqlServer ? " " : " TYPE ") + alteration.to + alteration.clauses;
}

std::string create_side_sql(const TableSql& target, const std::string& side) {
  std::string columns = list_of(target.system, target.columns);
  columns = columns.empty() ? "NULL AS _kedge_none" : columns;
  switch (target.system) {
    case System::Postgres:
      return "CREATE TEMP TABLE " + side + " ON COMMIT DROP AS SELECT " + columns + " FROM " +
             target.table + " WITH NO DATA";
    case System::Mysql:
      return "CREATE TEMPORARY TABLE " + side +
             (target.indexed.empty() ? ""
                                     : " (KEY (" + list_of(target.system, target.indexed) + "))") +
             " AS SELECT " + columns + " FROM " + target.table + " LIMIT 0";
    case System::SqlServer:
      // The union drops an IDENTITY, which would refuse the values.
      return "SELECT " + columns + " INTO " + side + " FROM " + target.table +
             " WHERE 1 = 0 UNION ALL SELECT " + columns + " FROM " + target.table + " WHERE 1 = 0";
    case System::Sqlite:
    case System::Duckdb:
    case System::Generic:
      break;
  }
  return std::string(target.temporary ? "CREATE TEMP TABLE " : "CREATE TABLE ") + side +
         " AS SELECT " + columns + " FROM " + target.table + " WHERE 1 = 0";
}

std::optional<std::string> index_side_sql(const TableSql& target, const std::string& side) {
  if (target.system != System::Sqlite || target.indexed.empty()) {
    return std::nullopt;
  }
  const std::string name =
      target.temporary ? "temp._kedge_side_keys" : side.substr(0, side.size() - 1) + "_keys\"";
  return "CREATE INDEX " + name + " ON " + side + " (" + list_of(target.system, target.indexed) +
         ")";
}

std::string drop_side_sql(System system, const std::string& side) {
  return (system == System::Mysql ? "DROP TEMPORARY TABLE IF EXISTS " : "DROP TABLE IF EXISTS ") +
         side;
}

std::string count_sql(const TableSql& target, const std::string& side, DeleteWhere where) {
  return "SELECT count(*) FROM " + target.table + " WHERE " + exists_in(target, side, where);
}

std::string count_unmarked_sql(const TableSql& target, const std::string& side, DeleteWhere where) {
  return "SELECT count(*) FROM " + target.table + " WHERE " + is_unmarked(target) + " AND " +
         exists_in(target, side, where);
}

std::vector<std::string> merge_sql(const TableSql& target, const std::string& side,
                                   const std::string& marker) {
  switch (target.system) {
    case System::Postgres:
    case System::Sqlite:
    case System::Duckdb:
      return {upsert_with_conflict(target, side, marker)};
    case System::Mysql:
      return {upsert_with_duplicate_key(target, side, marker)};
    case System::SqlServer:
      return update_then_insert(target, side, marker);
    case System::Generic:
      break;
  }
  return {delete_sql(target, side, DeleteWhere::KeyPresent), insert_side_sql(target, side)};
}

std::string insert_side_sql(const TableSql& target, const std::string& side) {
  const std::string columns = list_of(target.system, target.columns);
  return "INSERT INTO " + target.table + " (" + columns + ") SELECT " + columns + " FROM " + side;
}

std::string delete_sql(const TableSql& target, const std::string& side, DeleteWhere where) {
  return "DELETE FROM " + target.table + " WHERE " + exists_in(target, side, where);
}

std::string mark_sql(const TableSql& target, const std::string& side, DeleteWhere where,
                     const std::string& stamp) {
  return "UPDATE " + target.table + " SET " + quote_for(target.system, contracts::kMarkerColumn) +
         " = " + quote_literal(stamp) + " WHERE " + is_unmarked(target) + " AND " +
         exists_in(target, side, where);
}

std::string export_expression(System system, const std::string& column, const Type& type) {
  if (system == System::Duckdb) {
    return is_carried_as_text(type) ? "CAST(" + column + " AS VARCHAR)" : column;
  }
  if (is_nested(type)) {
    return "CAST(to_json(" + column + ") AS VARCHAR)";
  }
  const bool numbers = system == System::Sqlite || system == System::Mysql;
  if (type.kind == TypeKind::Boolean && numbers) {
    return "CAST(" + column + " AS TINYINT)";
  }
  if (type.kind == TypeKind::TimestampTz && system == System::Mysql) {
    return "CAST((" + column + " AT TIME ZONE 'UTC') AS VARCHAR)";
  }
  if (type.kind == TypeKind::Timestamp && type.precision) {
    return "CAST(" + column + " AS TIMESTAMP)";
  }
  if (type.kind == TypeKind::Json || type.kind == TypeKind::Enum) {
    return "CAST(" + column + " AS VARCHAR)";
  }
  return column;
}

bool is_carried_as_text(const Type& type) {
  return is_nested(type) || is_nanoseconds(type);
}

std::string range_condition(System system, const std::string& x, const Type& type) {
  if (system == System::Duckdb) {
    return "";
  }
  if (is_nanoseconds(type)) {
    return "isfinite(" + x + ") AND epoch_ns(" + x + ") % 1000 <> 0";
  }
  if (system == System::Sqlite) {
    return sqlite_range(x, type);
  }
  if (type.kind == TypeKind::Int128) {
    static const std::string kMost(38, '9');
    return x + " > CAST('" + kMost + "' AS HUGEINT) OR " + x + " < CAST('-" + kMost +
           "' AS HUGEINT)";
  }
  if (system == System::Mysql) {
    return mysql_range(x, type.kind);
  }
  if (system == System::Postgres) {
    return postgres_range(x, type.kind);
  }
  return odbc_range(system, x, type.kind);
}

}  // namespace kedge::pipeline
