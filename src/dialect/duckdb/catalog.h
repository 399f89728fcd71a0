// What introspection of DuckDB keeps while it reads. Private to this folder.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "dialect/dialect.h"
#include "dialect/name_filter.h"
#include "dialect/row_view.h"
#include "sql/analysis.h"

namespace kedge::dialect::duckdb {

struct Relation {
  bool is_view = false;
  std::size_t place = 0;
  sql::CreateTableFacts facts;  // collations and generated columns stand in the text only
};

struct Catalog {
  schema::Schema schema;
  std::unordered_map<std::string, Relation> relations;          // by key()
  std::unordered_map<std::string, schema::Sequence> sequences;  // by key()

  schema::Name name_of(const std::string& space, const std::string& name) const;
  static std::string key(const std::string& space, const std::string& name);
  Relation* find(const std::string& space, const std::string& name);
};

void read_relations(db::Connection& connection, const NameFilter& filter, Catalog& catalog);
void read_sequences_and_types(db::Connection& connection, const NameFilter& filter,
                              Catalog& catalog);
void read_macros(db::Connection& connection, const NameFilter& filter, Catalog& catalog);
void read_columns(db::Connection& connection, Catalog& catalog);
void read_constraints(db::Connection& connection, Catalog& catalog);
void read_indexes(db::Connection& connection, Catalog& catalog);

std::optional<schema::Default> default_of(const std::string& text);

}  // namespace kedge::dialect::duckdb
