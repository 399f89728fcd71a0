// Parts of a duckdb plan: the sequences that count for keys, and the tables that are made anew
// because DuckDB alters nothing that is referenced (spec/migrate.md 8.6).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "migrate/emission.h"

namespace kedge::migrate {

class DuckdbSequences {
 public:
  explicit DuckdbSequences(Emission& emission) : e_(emission) {}
  // The text of an expression that takes the column's next value.
  std::string next_value(const schema::Table& table, const schema::Column& column) const;
  // Makes the sequence that counts for this column unless the plan makes it by itself.
  void make(const schema::Table& table, const schema::Column& column,
            std::optional<std::size_t> change);
  // The same for a table that is made anew: its counter goes on, or starts behind the keys of
  // `rows`.
  void keep_counting(const schema::Table& table, const schema::Column& column,
                     const schema::Table& rows, std::optional<std::size_t> change);
  // A sequence that counts for no key any more goes with the last one.
  void drop_unused();

 private:
  schema::Name name_of(const schema::Table& table, const schema::Column& column) const;
  std::set<schema::Name> all_of(const schema::Schema& shape) const;
  Emission& e_;
};

class DuckdbRebuilds {
 public:
  DuckdbRebuilds(Emission& emission, DuckdbSequences& sequences)
      : e_(emission), sequences_(sequences) {}
  // Makes these tables (by their names in `to`) anew, each for its changes. New tables that refer
  // to one of them are made between, old ones dropped.
  void run(const std::map<schema::Name, std::vector<std::size_t>>& tables);
  bool takes(const schema::Name& table) const {
    return made_.contains(table) || dropped_.contains(table);
  }

 private:
  void find_neighbours();
  PlanStatement& step(std::string sql);
  void keep_rows(const schema::Name& table);
  void drop_all();
  void make_all();
  void make_again(const schema::Name& table);
  void drop_rows(const schema::Name& table);
  bool is_asked_for_keys(const schema::Name& table) const;
  bool is_new_key(const schema::Name& table, const schema::Column& column) const;
  std::string new_keys_of(const schema::Name& table) const;
  std::vector<std::string> copies_into(const schema::Name& table) const;
  std::string ranked(const schema::Name& table) const;
  std::vector<std::string> own_references(const schema::Name& table) const;
  std::string copied(const schema::Name& table, const schema::Column& column) const;

  Emission& e_;
  DuckdbSequences& sequences_;
  std::map<schema::Name, std::vector<std::size_t>> changes_;
  std::map<schema::Name, std::size_t> made_;     // new tables, each with its change
  std::map<schema::Name, std::size_t> dropped_;  // old ones
  std::optional<std::size_t> change_;            // that the next statement is for
  std::size_t at_ = 0;
};

// `value` as something that a column of the type `to` takes; the same text where it takes it as is.
std::string duckdb_converted(const Emission& emission, const std::string& value,
                             const schema::Type& from, const schema::Type& to);
// `value`, or the column's default where it is NULL. The column has a default.
std::string duckdb_filled(const Emission& emission, const std::string& value,
                          const schema::Column& column);

// Comments cannot be written with a table.
void duckdb_comment(Emission& emission, const change::CommentTarget& target,
                    const std::string& text, std::optional<std::size_t> change);
void duckdb_comments_of(Emission& emission, const schema::Table& table,
                        std::optional<std::size_t> change);

}  // namespace kedge::migrate
