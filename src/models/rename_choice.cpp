#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/renames.h"

namespace kedge::models {
namespace {

constexpr int kClose = 15;

std::string column_of(const RenameCandidate& candidate) {
  return candidate.model.second + "." + candidate.column;
}

// Another live column for the same missing one, or another missing one for the same live column.
bool is_rival(const RenameCandidate& a, const RenameCandidate& b) {
  return a.model == b.model && (a.key == b.key) != (a.candidate == b.candidate);
}

std::vector<RenameCandidate> choose_sure(const std::vector<RenameCandidate>& candidates) {
  std::vector<RenameCandidate> chosen;
  for (const RenameCandidate& candidate : candidates) {
    const bool alone =
        std::none_of(candidates.begin(), candidates.end(), [&](const RenameCandidate& other) {
          return is_rival(candidate, other) && other.score + kClose >= candidate.score;
        });
    if (candidate.score >= kSureRename && alone) {
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

std::vector<RenameCandidate> choose_named(const std::vector<RenameCandidate>& candidates,
                                          const std::vector<std::string>& wanted) {
  std::vector<const RenameCandidate*> named;
  for (const std::string& wish : wanted) {
    const std::size_t before = named.size();
    for (const RenameCandidate& candidate : candidates) {
      if (column_of(candidate) + "=" + candidate.candidate == wish) {
        named.push_back(&candidate);
      }
    }
    if (named.size() == before) {
      refuse(candidates, wish);
    }
  }
  for (const RenameCandidate* one : named) {
    for (const RenameCandidate* other : named) {
      if (one->model == other->model && one->key == other->key &&
          one->candidate != other->candidate) {
        throw Error(codes::ERR_USAGE, "--rename gives '" + one->missing + "' of model '" +
                                          one->model.second + "' two new names: '" +
                                          one->candidate + "' and '" + other->candidate + "'");
      }
    }
  }
  std::vector<RenameCandidate> chosen;
  for (const RenameCandidate& candidate : candidates) {
    if (std::any_of(named.begin(), named.end(), [&](const RenameCandidate* one) {
          return one->model == candidate.model && one->key == candidate.key &&
                 one->candidate == candidate.candidate;
        })) {
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
