// One FROM clause: the root and the joins that the expressions of the SELECT need, and the
// expansion of declared columns into SQL over their aliases (models.md 3.2, 3.5, 6.2).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/relation.h"
#include "sql/analysis.h"

namespace kedge::query {

using Hops = std::vector<std::string>;
// "a.b.c": the joins that lead to the owner of c.
inline Hops owner_hops(const std::vector<std::string>& path) {
  return {path.begin(), path.end() - 1};
}

struct Place {
  std::string alias;  // as written in SQL
  RelationPointer relation;
  Hops hops;
};

class Joins {
 public:
  Joins(models::SqlDialect dialect, const FindRelation& find, RelationPointer root,
        std::set<std::string>& touched);

  const Place& root() { return at({}); }
  // Adds the joins of the path where they are missing. Throws unknown_path.
  const Place& at(const Hops& hops);
  // The SQL of a declared column: alias.physical, or its text in parentheses. Throws column_cycle,
  // and formula_syntax when derived columns double each other beyond every size.
  std::string column(const Place& place, const models::Column& column);
  // SQL-mode text with its references expanded.
  std::string expand(const Place& place, const std::string& text, const models::Column* self);
  // "FROM ... AS root" and one line for each join, in the order of need.
  std::string from() const;
  // The model filters of the root, each in parentheses.
  std::vector<std::string> root_filters();
  // A key of a join: a declared column first, else a column of the source.
  std::string key(const Place& place, const std::string& name);

 private:
  void add_join(const Hops& hops);
  void count(const Place& place, const models::Column& column, std::size_t bytes);
  std::string free_alias(const Hops& hops);
  std::string replacement(const Place& place, const std::string& text,
                          const sql::ColumnReference& reference, const models::Column* self);
  std::string bare(const Place& place, const sql::NamePart& part, const models::Column* self);
  const models::Column* find_declared(const Place& place, const sql::NamePart& part) const;

  models::SqlDialect dialect_;
  const FindRelation& find_;
  RelationPointer root_relation_;
  std::set<std::string>& touched_;
  std::map<Hops, Place> places_;
  std::set<std::string> aliases_;  // in lower case
  std::vector<std::string> clauses_;
  std::vector<std::pair<Hops, std::string>> expanding_;
  std::map<std::pair<Hops, std::string>, std::string> expanded_;  // derived columns
  std::size_t written_ = 0;         // bytes of derived columns and joins that the statement has
  std::size_t expanded_bytes_ = 0;  // of those that other columns were put together from
  std::vector<Hops> joining_;
};

const models::Join* find_hop(const models::Model& model, std::string_view hop);
// Throws unknown_path with the nearest hop names.
RelationPointer follow(const FindRelation& find, const RelationPointer& from, const Hops& hops);

}  // namespace kedge::query
