#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/renames.h"

namespace kedge::models {
namespace {

constexpr int kClose = 15;

std::string column_of(const RenameCandidate& candidate) {
  return candidate.model.second + "." + candidate.column;
}

// The best score, and the best one under another name than the best one's.
class Best {
 public:
  void add(const std::string& name, int score) {
    if (first_ && name == *name_) {
      first_ = std::max(*first_, score);
    } else if (!first_ || score > *first_) {
      second_ = first_;
      first_ = score;
      name_ = &name;
    } else {
      second_ = std::max(second_.value_or(score), score);
    }
  }

  // Is a score under another name no more than `margin` behind?
  bool has_rival(const std::string& name, int score, int margin) const {
    const std::optional<int> other = first_ && name == *name_ ? second_ : first_;
    return other && *other + margin >= score;
  }

 private:
  const std::string* name_ = nullptr;
  std::optional<int> first_;
  std::optional<int> second_;
};

// No other live column is close for the same missing one, and no other missing one for the same
// live column.
std::vector<RenameCandidate> choose_sure(const std::vector<RenameCandidate>& candidates) {
  using Side = std::pair<ModelId, std::string>;
  std::map<Side, Best> by_missing;
  std::map<Side, Best> by_live;
  for (const RenameCandidate& candidate : candidates) {
    if (candidate.score + kClose >= kSureRename) {
      by_missing[{candidate.model, candidate.key}].add(candidate.candidate, candidate.score);
      by_live[{candidate.model, candidate.candidate}].add(candidate.key, candidate.score);
    }
  }
  std::vector<RenameCandidate> chosen;
  for (const RenameCandidate& candidate : candidates) {
    if (candidate.score >= kSureRename &&
        !by_missing[{candidate.model, candidate.key}].has_rival(candidate.candidate,
                                                                candidate.score, kClose) &&
        !by_live[{candidate.model, candidate.candidate}].has_rival(candidate.key, candidate.score,
                                                                   kClose)) {
      chosen.push_back(candidate);
    }
  }
  return chosen;
}

[[noreturn]] void refuse(const std::vector<RenameCandidate>& candidates, const std::string& wish) {
  const std::string column = wish.substr(0, wish.find('='));
  const bool whole = column.size() + 1 < wish.size() && column.find('.') != std::string::npos;
  if (!whole) {
    throw Error(codes::ERR_USAGE, "--rename '" + wish + "' is not understood",
                "write MODEL.COLUMN=NEW, as in crates.kg=weight_kg");
  }
  std::vector<std::string> possible;
  for (const RenameCandidate& candidate : candidates) {
    if (column_of(candidate) == column) {
      possible.push_back(candidate.candidate);
    }
  }
  if (possible.empty()) {
    throw Error(codes::ERR_USAGE,
                "--rename '" + wish + "': '" + column +
                    "' is no column that may have been renamed: it is not missing, or the table "
                    "has no undeclared column of its kind",
                "kedge validate-models --suggest lists what may have been renamed");
  }
  throw Error(codes::ERR_USAGE,
              "--rename '" + wish + "': '" + wish.substr(column.size() + 1) +
                  "' is no undeclared live column of the same kind",
              "possible for " + column + ": " + base::join(possible, ", "));
}

// A model of that name in two data sources is one too many.
void refuse_two_sources(const std::string& wish, const std::vector<const RenameCandidate*>& found) {
  std::set<std::string> sources;
  for (const RenameCandidate* one : found) {
    sources.insert(one->model.first);
  }
  if (sources.size() > 1) {
    const std::vector<std::string> names(sources.begin(), sources.end());
    throw Error(codes::ambiguous_model,
                "--rename '" + wish + "': the data sources " + base::join(names, ", ") +
                    " have such a column",
                "give --datasource");
  }
}

// The candidates that each wish names, in the order of the wishes. Throws where there is none, or
// more than one.
std::vector<const RenameCandidate*> find_named(const std::vector<RenameCandidate>& candidates,
                                               const std::vector<std::string>& wanted) {
  std::map<std::string, std::vector<const RenameCandidate*>> by_wish;
  for (const std::string& wish : wanted) {
    by_wish[wish];
  }
  for (const RenameCandidate& candidate : candidates) {
    const auto wish = by_wish.find(column_of(candidate) + "=" + candidate.candidate);
    if (wish != by_wish.end()) {
      wish->second.push_back(&candidate);
    }
  }
  std::vector<const RenameCandidate*> named;
  for (const std::string& wish : wanted) {
    const std::vector<const RenameCandidate*>& found = by_wish[wish];
    if (found.empty()) {
      refuse(candidates, wish);
    }
    refuse_two_sources(wish, found);
    named.insert(named.end(), found.begin(), found.end());
  }
  return named;
}

std::vector<RenameCandidate> choose_named(const std::vector<RenameCandidate>& candidates,
                                          const std::vector<std::string>& wanted) {
  std::map<std::pair<ModelId, std::string>, const RenameCandidate*> new_names;
  std::set<decltype(rename_key(candidates.front()))> keys;
  for (const RenameCandidate* one : find_named(candidates, wanted)) {
    const auto known = new_names.emplace(std::pair(one->model, one->key), one);
    if (known.first->second->candidate != one->candidate) {
      throw Error(codes::ERR_USAGE, "--rename gives '" + one->missing + "' of model '" +
                                        one->model.second + "' two new names: '" +
                                        known.first->second->candidate + "' and '" +
                                        one->candidate + "'");
    }
    keys.insert(rename_key(*one));
  }
  std::vector<RenameCandidate> chosen;
  for (const RenameCandidate& candidate : candidates) {
    if (keys.contains(rename_key(candidate))) {
      chosen.push_back(candidate);
    }
  }
  return chosen;
}

}  // namespace

std::vector<RenameCandidate> choose_renames(const std::vector<RenameCandidate>& candidates,
                                            const std::vector<std::string>& wanted) {
  return wanted.empty() ? choose_sure(candidates) : choose_named(candidates, wanted);
}

}  // namespace kedge::models
