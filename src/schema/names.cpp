#include "kedge/schema.h"

namespace kedge::schema {

std::string to_string(const Name& name) {
  return name.schema.empty() ? name.name.text() : name.schema.text() + "." + name.name.text();
}

std::string to_string(Dialect dialect) {
  switch (dialect) {
    case Dialect::Sqlite:
      return "sqlite";
    case Dialect::Postgres:
      return "postgres";
    case Dialect::Duckdb:
      return "duckdb";
    case Dialect::Mysql:
      return "mysql";
    case Dialect::D1:
      return "d1";
    case Dialect::Ansi:
      return "ansi";
  }
  return "ansi";
}

std::optional<Dialect> find_dialect(std::string_view name) {
  for (const Dialect dialect : {Dialect::Sqlite, Dialect::Postgres, Dialect::Duckdb, Dialect::Mysql,
                                Dialect::D1, Dialect::Ansi}) {
    if (to_string(dialect) == name) {
      return dialect;
    }
  }
  return std::nullopt;
}

}  // namespace kedge::schema
