#include "models/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kedge::models {
namespace {

constexpr std::array<std::pair<SqlDialect, std::string_view>, 11> kNames{{
    {SqlDialect::Sqlite, "sqlite"},
    {SqlDialect::Duckdb, "duckdb"},
    {SqlDialect::Postgres, "postgres"},
    {SqlDialect::Mysql, "mysql"},
    {SqlDialect::Sqlserver, "sqlserver"},
    {SqlDialect::Clickhouse, "clickhouse"},
    {SqlDialect::Bigquery, "bigquery"},
    {SqlDialect::Snowflake, "snowflake"},
    {SqlDialect::Oracle, "oracle"},
    {SqlDialect::D1, "d1"},
    {SqlDialect::Generic, "generic"},
}};

enum class Folding { IgnoreCase, Lower, Upper, Exact };

Folding folding_of(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Postgres:
      return Folding::Lower;
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
      return Folding::Upper;
    case SqlDialect::Clickhouse:
      return Folding::Exact;
    case SqlDialect::Sqlite:
    case SqlDialect::Duckdb:
    case SqlDialect::Mysql:
    case SqlDialect::Sqlserver:
    case SqlDialect::Bigquery:
    case SqlDialect::D1:
    case SqlDialect::Generic:
      return Folding::IgnoreCase;
  }
  return Folding::IgnoreCase;
}

}  // namespace

std::string to_string(SqlDialect dialect) {
  for (const auto& [value, name] : kNames) {
    if (value == dialect) {
      return std::string(name);
    }
  }
  return "generic";
}

std::optional<SqlDialect> find_sql_dialect(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

sql::Flavour analysed_as(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return sql::Flavour::Sqlite;
    case SqlDialect::Duckdb:
      return sql::Flavour::Duckdb;
    case SqlDialect::Postgres:
      return sql::Flavour::Postgres;
    case SqlDialect::Mysql:
      return sql::Flavour::Mysql;
    case SqlDialect::Sqlserver:
      return sql::Flavour::Sqlserver;
    case SqlDialect::Clickhouse:
      return sql::Flavour::Clickhouse;
    case SqlDialect::Bigquery:
      return sql::Flavour::Bigquery;
    case SqlDialect::Snowflake:
      return sql::Flavour::Snowflake;
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      return sql::Flavour::Ansi;
  }
  return sql::Flavour::Ansi;
}

std::string written_key(SqlDialect dialect, std::string_view text, bool quoted) {
  switch (folding_of(dialect)) {
    case Folding::IgnoreCase:
      return base::to_lower(text);
    case Folding::Lower:
      return quoted ? std::string(text) : base::to_lower(text);
    case Folding::Upper:
      return quoted ? std::string(text) : base::to_upper(text);
    case Folding::Exact:
      return std::string(text);
  }
  return std::string(text);
}

std::string live_key(SqlDialect dialect, std::string_view name) {
  return folding_of(dialect) == Folding::IgnoreCase ? base::to_lower(name) : std::string(name);
}

bool is_pseudo_column(SqlDialect dialect, std::string_view name) {
  const std::string lower = base::to_lower(name);
  const auto any_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), lower) != names.end();
  };
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return any_of({"rowid", "oid", "_rowid_"});
    case SqlDialect::Duckdb:
      return any_of({"rowid"});
    case SqlDialect::Postgres:
      return any_of({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"});
    case SqlDialect::Mysql:
      return any_of({"_rowid"});
    case SqlDialect::Bigquery:
      return any_of({"_partitiontime", "_partitiondate", "_table_suffix", "_file_name"});
    case SqlDialect::Oracle:
      return any_of({"rowid", "rownum", "level", "ora_rowscn"});
    case SqlDialect::Clickhouse:
      return any_of({"_part", "_part_index", "_partition_id", "_sample_factor", "_table"});
    case SqlDialect::Sqlserver:
      return any_of({"$identity", "$rowguid"});
    case SqlDialect::Snowflake:
      return any_of({"metadata$action", "metadata$isupdate", "metadata$row_id"});
    case SqlDialect::Generic:
      return false;
  }
  return false;
}

std::string quote_name(SqlDialect dialect, std::string_view name) {
  char open = '"';
  char close = '"';
  if (dialect == SqlDialect::Mysql || dialect == SqlDialect::Bigquery ||
      dialect == SqlDialect::Clickhouse) {
    open = close = '`';
  } else if (dialect == SqlDialect::Sqlserver) {
    open = '[';
    close = ']';
  }
  std::string quoted(1, open);
  for (const char character : name) {
    quoted += character;
    if (character == close) {
      quoted += close;
    }
  }
  return quoted + close;
}

std::string written_name(std::string_view name, SqlDialect dialect) {
  const bool plain = is_identifier(name) && !sql::is_reserved(name, analysed_as(dialect)) &&
                     written_key(dialect, name, false) == live_key(dialect, name);
  return plain ? std::string(name) : quote_name(dialect, name);
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text.front())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_data_source_name(std::string_view text) {
  return !text.empty() && base::trim(text) == text &&
         text.find_first_of(std::string_view(".:/\\\0", 5)) == std::string_view::npos;
}

std::optional<RelationName> parse_relation(std::string_view text, SqlDialect dialect) {
  std::vector<PhysicalName> parts;
  bool want_name = true;
  for (const sql::Token& token : sql::tokenize(text, analysed_as(dialect))) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (token.kind == sql::TokenKind::End) {
      break;
    }
    if (want_name && (token.kind == sql::TokenKind::Identifier ||
                      token.kind == sql::TokenKind::QuotedIdentifier)) {
      const auto part = sql::as_identifier(word, analysed_as(dialect));
      // A reserved word is no identifier in an expression, yet may be a table's name.
      parts.push_back(part ? PhysicalName{part->text, part->quoted}
                           : PhysicalName{std::string(word), false});
    } else if (want_name || word != ".") {
      return std::nullopt;
    }
    want_name = !want_name;
  }
  if (want_name || parts.size() > 3) {
    return std::nullopt;
  }
  RelationName relation{std::nullopt, std::nullopt, parts.back()};
  if (parts.size() >= 2) {
    relation.schema = parts[parts.size() - 2];
  }
  if (parts.size() == 3) {
    relation.catalog = parts.front();
  }
  return relation;
}

}  // namespace kedge::models
