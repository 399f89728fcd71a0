#include <utility>

#include "base/text.h"
#include "sql/analysis.h"
#include "sql/keywords.h"
#include "sql/lexer.h"

namespace kedge::sql {

namespace {

Flavour flavour_of(schema::Dialect dialect) {
  switch (dialect) {
    case schema::Dialect::Sqlite:
    case schema::Dialect::D1:
      return Flavour::Sqlite;
    case schema::Dialect::Postgres:
      return Flavour::Postgres;
    case schema::Dialect::Duckdb:
      return Flavour::Duckdb;
    case schema::Dialect::Mysql:
      return Flavour::Mysql;
    case schema::Dialect::Ansi:
      break;
  }
  return Flavour::Ansi;
}

constexpr std::pair<std::string_view, Flavour> kNames[] = {{"sqlite", Flavour::Sqlite},
                                                           {"postgres", Flavour::Postgres},
                                                           {"duckdb", Flavour::Duckdb},
                                                           {"mysql", Flavour::Mysql},
                                                           {"ansi", Flavour::Ansi},
                                                           {"sqlserver", Flavour::Sqlserver},
                                                           {"clickhouse", Flavour::Clickhouse},
                                                           {"bigquery", Flavour::Bigquery},
                                                           {"snowflake", Flavour::Snowflake},
                                                           {"d1", Flavour::Sqlite},
                                                           {"postgresql", Flavour::Postgres},
                                                           {"mariadb", Flavour::Mysql},
                                                           {"mssql", Flavour::Sqlserver}};

}  // namespace

Syntax::Syntax(schema::Dialect dialect) : flavour_(flavour_of(dialect)) {}

std::optional<Flavour> find_flavour(std::string_view name) {
  for (const auto& [known, flavour] : kNames) {
    if (known == name) {
      return flavour;
    }
  }
  return std::nullopt;
}

std::string to_string(Flavour flavour) {
  for (const auto& [known, value] : kNames) {
    if (value == flavour) {
      return std::string(known);
    }
  }
  return {};
}

std::optional<NamePart> as_identifier(std::string_view sql, const Syntax& syntax) {
  const Flavour flavour = syntax.flavour();
  const Token token = next_token(sql, 0, flavour);
  Token rest = next_token(sql, token.end, flavour);
  while (rest.kind == TokenKind::Comment) {
    rest = next_token(sql, rest.end, flavour);
  }
  if (rest.kind != TokenKind::End) {
    return std::nullopt;
  }
  const auto raw = sql.substr(token.begin, token.end - token.begin);
  if (token.kind == TokenKind::QuotedIdentifier) {
    return NamePart{decode_name(raw), true};
  }
  const std::string lower = base::to_lower(raw);
  const bool literal = lower == "null" || lower == "true" || lower == "false" ||
                       is_niladic(lower, flavour) || is_structural(lower);
  if (token.kind != TokenKind::Identifier || literal) {
    return std::nullopt;
  }
  return NamePart{std::string(raw), false};
}

}  // namespace kedge::sql
