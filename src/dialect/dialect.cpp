#include "dialect/dialect.h"

#include "base/text.h"
#include "dialect/dialects.h"

namespace kedge::dialect {

std::string between(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char character : text) {
    quoted += character;
    if (character == mark) {
      quoted += mark;
    }
  }
  quoted += mark;
  return quoted;
}

bool is_own_spelling(const Dialect& dialect, const schema::Type& type) {
  using schema::TypeKind;
  if (type.native.empty()) {
    return false;
  }
  const bool named = type.kind == TypeKind::Native || type.kind == TypeKind::Domain ||
                     (type.kind == TypeKind::Enum && type.labels.empty());
  return named || dialect.parse_type(type.native) == type;
}

const Dialect& get_dialect(schema::Dialect id) {
  static const SqliteDialect kSqlite;
  static const PostgresDialect kPostgres;
  static const DuckdbDialect kDuckdb;
  static const MysqlDialect kMysql;
  static const AnsiDialect kAnsi;
  switch (id) {
    case schema::Dialect::Sqlite:
    case schema::Dialect::D1:
      return kSqlite;
    case schema::Dialect::Postgres:
      return kPostgres;
    case schema::Dialect::Duckdb:
      return kDuckdb;
    case schema::Dialect::Mysql:
      return kMysql;
    case schema::Dialect::Ansi:
      return kAnsi;
  }
  return kAnsi;
}

std::string quote_name(const Dialect& dialect, const schema::Name& name) {
  const std::string quoted = dialect.quote(name.name);
  return name.schema.empty() ? quoted : dialect.quote(name.schema) + "." + quoted;
}

}  // namespace kedge::dialect
