// What speaks for a live column as the new name of a missing one, and how much. Private to renames.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "models/renames.h"

namespace kedge::models {

// One model with columns that are missing from its source.
struct RenamedSource {
  const LoadedModel* loaded = nullptr;
  const LiveShape* shape = nullptr;           // Present
  const schema::Table* table = nullptr;       // as introspected, where there is one
  std::vector<std::size_t> missing;           // columns of the model, in declared order
  std::vector<std::size_t> free;              // live columns that no base column stands for
  std::map<std::string, std::size_t> places;  // of live columns, by key

  const Column& column(std::size_t number) const { return loaded->model.columns[number]; }
  const LiveColumn& live(std::size_t number) const { return (*shape->columns)[number]; }
  bool fits(std::size_t column_number, std::size_t live_number) const;
};

constexpr int kSimilarName = 50;  // a name that looks like another one

// Of the live column that a base column stands for: equal for all that stand for the same.
std::string physical_key(const Column& column, SqlDialect dialect);

// How close the names of a missing column are to that of a live one: 0 to 100.
int name_similarity(const Column& missing, const std::string& live);

// The candidates of every missing column, in the order of `missing` and `free`. Columns over one
// live column share what speaks for a candidate.
std::vector<std::vector<RenameCandidate>> judge_candidates(
    const RenamedSource& source, const std::vector<const ValueOverlap*>& overlaps);

}  // namespace kedge::models
