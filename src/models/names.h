// Names in semantic models: the SQL dialects that models know (models.md 6.3, 7), how each of them
// folds an identifier, and what a physical name is. Folding gives keys, so names are found by hash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kedge/schema.h"
#include "sql/analysis.h"

namespace kedge::models {

enum class SqlDialect {
  Sqlite,
  Duckdb,
  Postgres,
  Mysql,
  Sqlserver,
  Clickhouse,
  Bigquery,
  Snowflake,
  Oracle,
  D1,
  Generic
};
std::string to_string(SqlDialect dialect);  // "sqlite", "duckdb", ...
std::optional<SqlDialect> find_sql_dialect(std::string_view name);
// How the analyser reads its SQL.
sql::Flavour analysed_as(SqlDialect dialect);

// A physical identifier: the text without quotes, and whether it was written quoted.
struct PhysicalName {
  std::string text;
  bool quoted = false;
  bool operator==(const PhysicalName&) const = default;
};

// Two names mean the same column in the dialect exactly when their keys are equal (models.md 3.2).
std::string written_key(SqlDialect dialect, std::string_view text, bool quoted);
std::string live_key(SqlDialect dialect, std::string_view name);

// Pseudo columns that every table of the dialect has: rowid, ctid, _PARTITIONTIME, ...
bool is_pseudo_column(SqlDialect dialect, std::string_view name);

// Always quoted, embedded quotes doubled.
std::string quote_name(SqlDialect dialect, std::string_view name);
// A live name as it is written in SQL: quoted only where the dialect needs it.
std::string written_name(std::string_view name, SqlDialect dialect);

bool is_identifier(std::string_view text);  // [A-Za-z_][A-Za-z0-9_]*
bool is_data_source_name(std::string_view text);

// A `sql_table`: the parts before the name may be absent.
struct RelationName {
  std::optional<PhysicalName> catalog;
  std::optional<PhysicalName> schema;
  PhysicalName name;
};
std::optional<RelationName> parse_relation(std::string_view text, SqlDialect dialect);

}  // namespace kedge::models
