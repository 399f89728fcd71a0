// Columns that are missing because they were renamed: candidates with what speaks for them, and the
// edit that follows the rename (`sql:` points to the new column, all else stays).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kedge/models.h"
#include "kedge/schema.h"
#include "models/live.h"
#include "models/model_set.h"

namespace kedge::models {

// One candidate for one missing column; the best first.
struct RenameCandidate {
  ModelId model;
  std::string column;                // of the model
  std::string missing;               // the live name that is gone
  std::string key;                   // of that name: equal for every column that stands for it
  std::string candidate;             // the live column it may have become
  std::string sql;                   // what `sql` of the column becomes
  int score = 0;                     // 0 to 100
  std::vector<std::string> reasons;  // "same place in the table", ...
};

// Equal for the columns over one live column that would follow the same new name.
inline auto rename_key(const RenameCandidate& candidate) {
  return std::tie(candidate.model, candidate.key, candidate.candidate);
}

// One bounded statement that tells whether the values of a candidate are those of the other side of
// a join that the missing column was a key of. It gives two numbers: values read, values found.
struct ValueProbe {
  ModelId model;
  std::string column;
  std::string candidate;
  std::string against;  // "depots.id"
  std::string sql;
};
std::vector<ValueProbe> find_value_probes(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries);
struct ValueOverlap {
  ValueProbe probe;
  std::int64_t read = 0;
  std::int64_t found = 0;
};

// What is known beside names and types; everything may be empty.
struct RenameEvidence {
  std::map<std::string, const schema::Schema*> schemas;  // by data source: places, keys, indexes
  std::vector<ValueOverlap> overlaps;
};

constexpr int kWorthListing = 40;  // candidates below are not shown
constexpr int kSureRename = 60;    // candidates below are taken by name only

// Undeclared live columns of the same bucket, for every column that is missing (column_missing,
// column_not_in_result), by model, declared order and score. Columns over one live column share
// what speaks for a candidate.
std::vector<RenameCandidate> find_rename_candidates(const ModelSet& models, const LiveShapes& live,
                                                    const std::vector<ToDeleteEntry>& entries,
                                                    const RenameEvidence& evidence,
                                                    int least_score = kWorthListing);

// What is applied of candidates with every score. Those that `wanted` names ("model.column=live",
// with all columns over the same live column), else the sure ones without a close second. Throws
// ERR_USAGE for a wish that no candidate fulfils, ambiguous_model for one of two data sources.
std::vector<RenameCandidate> choose_renames(const std::vector<RenameCandidate>& candidates,
                                            const std::vector<std::string>& wanted);

// For people: only where exactly one undeclared column is similar by name.
std::vector<RenameHint> find_rename_hints(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries);

// How much two names look alike: 0 to 100.
int name_similarity(std::string_view a, std::string_view b);

// The file's text with `sql` of the column pointing to the new live column.
std::string rename_in_text(const std::string& path, const std::string& text,
                           const RenameCandidate& rename, SqlDialect dialect);

}  // namespace kedge::models
