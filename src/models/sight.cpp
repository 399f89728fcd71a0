#include "models/sight.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sql/analysis.h"

namespace kedge::models {
namespace {

// The schemas of a search path as the server shows it: "$user", public, "Odd Name".
std::vector<std::string> schemas_of(const std::string& path, const std::string& user) {
  std::vector<std::string> schemas;
  for (const sql::Token& token : sql::tokenize(path, sql::Flavour::Postgres)) {
    const std::string_view word =
        std::string_view(path).substr(token.begin, token.end - token.begin);
    if (token.kind != sql::TokenKind::Identifier &&
        token.kind != sql::TokenKind::QuotedIdentifier) {
      continue;
    }
    const auto part = sql::as_identifier(word, sql::Flavour::Postgres);
    std::string schema =
        part ? written_key(SqlDialect::Postgres, part->text, part->quoted) : std::string(word);
    schemas.push_back(schema == "$user" ? user : std::move(schema));
  }
  return schemas;
}

class PostgresSight {
 public:
  PostgresSight(db::Connection& connection, SqlDialect dialect, const std::string& default_schema)
      : connection_(connection), dialect_(dialect), default_schema_(default_schema) {}

  Sight read() {
    read_path();
    read_relations();
    return std::move(sight_);
  }

 private:
  void read_path() {
    const db::ResultSet path = connection_.query(
        "SELECT pg_catalog.current_setting('search_path'), CAST(current_user AS text)");
    path_ = schemas_of(db::to_text(path.rows.at(0).at(0)), db::to_text(path.rows.at(0).at(1)));
    const db::ResultSet unusable = connection_.query(
        "SELECT n.nspname FROM pg_catalog.pg_namespace n "
        "WHERE NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
        "AND (EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid) "
        "OR EXISTS (SELECT 1 FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid) "
        "OR EXISTS (SELECT 1 FROM pg_catalog.pg_type t WHERE t.typnamespace = n.oid))");
    std::size_t first = path_.size();
    for (const db::Row& row : unusable.rows) {
      first = std::min(first, place_of(db::to_text(row[0])));
    }
    if (first < path_.size()) {
      sight_.hidden = path_[first];
    }
  }

  std::size_t place_of(const std::string& schema) const {
    return static_cast<std::size_t>(std::find(path_.begin(), path_.end(), schema) - path_.begin());
  }

  // A name leads to the first schema that has it, whether or not the user may look into that one.
  void read_relations() {
    const db::ResultSet rows = connection_.query(
        "SELECT n.nspname, c.relname, CASE WHEN pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
        "AND "
        "pg_catalog.has_any_column_privilege(c.oid, 'SELECT') THEN 1 ELSE 0 END "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' "
        "AND n.nspname <> 'information_schema'");
    std::unordered_map<std::string, std::size_t> places;
    sight_.searched.emplace();
    for (const db::Row& row : rows.rows) {
      const std::string schema = db::to_text(row[0]);
      const std::string table = live_table_key(dialect_, db::to_text(row[1]));
      const std::string key = table_key(dialect_, schema == default_schema_ ? "" : schema, table);
      if (db::to_integer(row[2]).value_or(0) == 0) {
        sight_.forbidden.insert(key);
      }
      const std::size_t place = place_of(schema);
      const auto known = places.find(table);
      if (place < path_.size() && (known == places.end() || place < known->second)) {
        places[table] = place;
        (*sight_.searched)[table] = key;
      }
    }
  }

  db::Connection& connection_;
  SqlDialect dialect_;
  const std::string& default_schema_;
  std::vector<std::string> path_;
  Sight sight_;
};

Sight read_mysql_sight(db::Connection& connection) {
  const db::ResultSet rows = connection.query("SHOW VARIABLES LIKE 'lower_case_table_names'");
  Sight sight;
  sight.folds_tables = !rows.rows.empty() && db::to_text(rows.rows.front().at(1)) != "0";
  return sight;
}

}  // namespace

Sight read_sight(db::Connection& connection, SqlDialect dialect,
                 const std::string& default_schema) {
  // What ODBC reaches has a generic dialect, and says itself which product it is.
  const std::string& product = connection.engine().product;
  if (product == "MySQL" || product == "MariaDB") {
    return read_mysql_sight(connection);
  }
  if (product != "PostgreSQL") {
    return {};
  }
  return PostgresSight(connection, dialect, default_schema).read();
}

}  // namespace kedge::models
