// References to a primary key that moves, on mysql: filled through the old key while both keys are
// there (spec/migrate.md 7.1).
#pragma once

#include <string>

#include "migrate/emission.h"

namespace kedge::migrate {

class MysqlReferences {
 public:
  explicit MysqlReferences(Emission& emission) : e_(emission) {}
  // Must the table have its old and its new key at one time?
  bool needs_both_keys(const schema::Name& table) const;
  // Adds a column that is NOT NULL only once it is filled.
  void add_open(const change::AddColumn& c, const schema::Table& table, std::size_t change);
  // Fills everything that refers to the key of `parent`.
  void fill(const schema::Name& parent, std::size_t change);

 private:
  void alter(int at, const schema::Name& table, const std::string& clause);
  void fill_one(const Remap& remap);
  void take_over(const schema::Table& table, const schema::Column& column,
                 const Identifier& source);

  Emission& e_;
  std::size_t change_ = 0;
};

// ", c = c" for each column that an UPDATE of another one would set to now.
std::string mysql_clocks_stay(const Emission& emission, const schema::Table& table,
                              const Identifier& but, const std::string& prefix);

}  // namespace kedge::migrate
