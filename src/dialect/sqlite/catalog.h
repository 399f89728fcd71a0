// What introspection of SQLite and D1 keeps while it reads. Private to this folder.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/sqlite/statements.h"
#include "sql/analysis.h"

namespace kedge::dialect::sqlite {

struct TableSource {
  std::size_t place = 0;  // in schema.tables
  std::string text;       // its CREATE TABLE
  sql::CreateTableFacts facts;
  bool has_key_index = false;    // the primary key is an index: no rowid alias
  std::vector<bool> names_used;  // of facts.unique_names
};

struct Catalog {
  schema::Schema schema;
  std::unordered_map<std::string, TableSource> tables;  // by name
  std::unordered_map<std::string, std::size_t> views;   // place in schema.views
  std::unordered_map<std::string, std::string> index_texts;
};

void read_master(const Statements& statements, const IntrospectScope& scope, Catalog& catalog);
void read_columns(const Statements& statements, Catalog& catalog);
void read_view_columns(const Statements& statements, Catalog& catalog);
void read_indexes(const Statements& statements, Catalog& catalog);
void read_foreign_keys(const Statements& statements, Catalog& catalog);
// CHECKs, and the nullability that follows from the key: from the texts, after everything else.
void finish(Catalog& catalog);

std::optional<schema::Default> default_of(const std::string& text);

}  // namespace kedge::dialect::sqlite
