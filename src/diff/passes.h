// The passes of a comparison. Each appends to Passes::result; the order of calls is the order of
// the list.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "diff/filter.h"
#include "diff/meaning.h"
#include "diff/pair.h"

namespace kedge::diff {

using TablePairs = Pairs<schema::Table>;
using ColumnNames = std::map<Identifier, Identifier>;  // old to new

// What the rename pass found: new names by old ones.
struct RenameMap {
  std::map<schema::Name, schema::Name> tables;
  std::map<schema::Name, ColumnNames> columns;  // by the new table name
  bool empty() const { return tables.empty() && columns.empty(); }
};

struct Passes {
  const Options& options;
  Meaning meaning;
  Result result;
  RenameMap renames;
  explicit Passes(const Options& given) : options(given), meaning(given) {}
  template <class Kind>
  void add(Kind change) {
    result.changes.push_back(std::move(change));
  }
  void comment(const char* kind, const schema::Name& name, const Identifier& part,
               const std::string& from, const std::string& to, const std::string& signature = {});
};

// Moves pairs of gone and added tables that are renames into `pairs.both`, appends rename changes
// and questions; fills passes.renames, columns included.
void find_renames(Passes& passes, TablePairs& pairs);
// A table as it will be called after the renames.
schema::Table translate(const schema::Table& table, const schema::Name& new_name,
                        const Passes& passes);

void compare_tables(Passes& passes, std::vector<const schema::Table*> actual,
                    std::vector<const schema::Table*> expected);
void compare_columns(Passes& passes, const schema::Table& actual, const schema::Table& expected);
void compare_primary_keys(Passes& passes, const schema::Table& actual,
                          const schema::Table& expected);
void compare_foreign_keys(Passes& passes, const schema::Table& actual,
                          const schema::Table& expected);
void compare_checks(Passes& passes, const schema::Table& actual, const schema::Table& expected);
void compare_indexes(Passes& passes, const schema::Name& table,
                     const std::vector<schema::Index>& actual,
                     const std::vector<schema::Index>& expected);
void compare_views(Passes& passes, std::vector<const schema::View*> actual,
                   std::vector<const schema::View*> expected);
// Types, sequences, functions, triggers, policies, ...
void compare_types(Passes& passes, Visibility& visibility, const schema::Schema& actual,
                   const schema::Schema& expected);
void compare_objects(Passes& passes, Visibility& visibility, const schema::Schema& actual,
                     const schema::Schema& expected);
bool same_index(Meaning& meaning, const schema::Index& actual, const schema::Index& expected);
bool same_check(Meaning& meaning, const schema::Check& actual, const schema::Check& expected);

}  // namespace kedge::diff
