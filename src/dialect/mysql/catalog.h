// What introspection of MySQL and MariaDB keeps while it reads. Private to this folder.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/name_filter.h"
#include "dialect/row_view.h"
#include "sql/analysis.h"

namespace kedge::dialect::mysql {

struct Relation {
  bool is_view = false;
  std::size_t place = 0;
  std::string charset;  // tables: the default of its text columns
};

struct Catalog {
  schema::Schema schema;
  bool is_mariadb = false;
  std::string schemas;  // "'a', 'b'": the condition's list, never empty
  std::unordered_map<std::string, Relation> relations;  // by key()
  std::vector<schema::Name> sequences;                  // MariaDB: tables of kind SEQUENCE
  bool has_view_stamps = false;                         // the table _kedge_views is there

  schema::Name name_of(const std::string& space, const std::string& name) const;
  static std::string key(const std::string& space, const std::string& name);
  // An expression as SQL: MySQL's catalog escapes it once more, as if it were a literal's content.
  std::string expression(const std::string& text) const;
  Relation* find(const std::string& space, const std::string& name);
  schema::Table* table(const std::string& space, const std::string& name);
};

void read_database(db::Connection& connection, const IntrospectScope& scope, Catalog& catalog);
void read_tables(db::Connection& connection, const NameFilter& filter, Catalog& catalog);
void read_views(db::Connection& connection, Catalog& catalog);
void read_view_stamps(db::Connection& connection, Catalog& catalog);
void read_columns(db::Connection& connection, Catalog& catalog);
void read_indexes(db::Connection& connection, Catalog& catalog);
void read_foreign_keys(db::Connection& connection, Catalog& catalog);
void read_checks(db::Connection& connection, Catalog& catalog);
void read_periods(db::Connection& connection, Catalog& catalog);
void read_partitions(db::Connection& connection, Catalog& catalog);
void read_sequences(db::Connection& connection, Catalog& catalog);
void read_routines(db::Connection& connection, Catalog& catalog);
void read_triggers_and_events(db::Connection& connection, Catalog& catalog);
void read_privileges(db::Connection& connection, Catalog& catalog);

// Takes the database's own name off every qualified name: "`db`.`t`.`c`" is "`t`.`c`".
std::string without_database(std::string_view sql, const std::string& database);
// The content of a literal as the server prints it, with its backslash escapes.
bool read_literal(std::string_view text, std::string& content);

}  // namespace kedge::dialect::mysql
