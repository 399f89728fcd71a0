// Small schemas for the tests of this module.
#pragma once

#include <string>
#include <vector>

#include "migrate/plan.h"

namespace kedge::migrate {

inline schema::Name named(const std::string& name) {
  return {{}, Identifier(name)};
}

inline schema::Column column(const std::string& name, schema::TypeKind kind, bool nullable = true) {
  schema::Column made;
  made.name = Identifier(name);
  made.type.kind = kind;
  made.nullable = nullable;
  return made;
}

inline schema::Table keyed_table(const std::string& name, std::vector<schema::Column> more) {
  schema::Table made;
  made.name = named(name);
  made.columns = {column("id", schema::TypeKind::Int64, false)};
  made.columns.insert(made.columns.end(), more.begin(), more.end());
  made.primary_key = schema::PrimaryKey{};
  made.primary_key->name = Identifier(name + "_pkey");
  made.primary_key->columns = {Identifier("id")};
  return made;
}

inline schema::ForeignKey reference(const std::string& name, const std::string& from,
                                    const std::string& table) {
  schema::ForeignKey key;
  key.name = Identifier(name);
  key.columns = {Identifier(from)};
  key.referenced_table = named(table);
  key.referenced_columns = {Identifier("id")};
  return key;
}

inline schema::Schema schema_of(std::vector<schema::Table> tables) {
  schema::Schema made;
  made.tables = std::move(tables);
  normalise(made);
  return made;
}

inline Plan plan_of(const schema::Schema& from, const schema::Schema& to, PlanOptions options,
                    diff::Options compare = {}) {
  compare.dialect = options.dialect;
  return make_plan(diff::compare(from, to, compare), from, to, options);
}

// The statements that hold the text.
inline std::vector<std::string> holding(const std::vector<PlanStatement>& statements,
                                        const std::string& text) {
  std::vector<std::string> found;
  for (const PlanStatement& statement : statements) {
    if (statement.sql.find(text) != std::string::npos) {
      found.push_back(statement.sql);
    }
  }
  return found;
}

}  // namespace kedge::migrate
