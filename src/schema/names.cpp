#include <algorithm>

#include "base/glob.h"
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

std::string to_string(ReferentialAction action) {
  switch (action) {
    case ReferentialAction::NoAction:
      return "no-action";
    case ReferentialAction::Restrict:
      return "restrict";
    case ReferentialAction::Cascade:
      return "cascade";
    case ReferentialAction::SetNull:
      return "set-null";
    case ReferentialAction::SetDefault:
      return "set-default";
  }
  return "no-action";
}

std::string to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Function:
      return "function";
    case ObjectKind::Procedure:
      return "procedure";
    case ObjectKind::Aggregate:
      return "aggregate";
    case ObjectKind::Trigger:
      return "trigger";
    case ObjectKind::Policy:
      return "policy";
    case ObjectKind::Rule:
      return "rule";
    case ObjectKind::Extension:
      return "extension";
    case ObjectKind::Privilege:
      return "privilege";
    case ObjectKind::Event:
      return "event";
    case ObjectKind::Statistics:
      return "statistics";
    case ObjectKind::Macro:
      return "macro";
  }
  return "function";
}

const std::vector<std::string>& bookkeeping_tables() {
  static const std::vector<std::string> kTables = {"_kedge_migrations",
                                                   "_kedge_views",
                                                   "__drizzle_migrations",
                                                   "_litestream_*",
                                                   "_metaobjects_migrations",
                                                   "flyway_schema_history",
                                                   "schema_migrations",
                                                   "d1_migrations",
                                                   "_cf_*",
                                                   "sqlite_sequence",
                                                   "sqlite_stat*"};
  return kTables;
}

bool is_bookkeeping(std::string_view table) {
  const std::vector<std::string>& tables = bookkeeping_tables();
  return std::any_of(tables.begin(), tables.end(), [&](const std::string& pattern) {
    return base::matches_glob(pattern, table);
  });
}

}  // namespace kedge::schema
