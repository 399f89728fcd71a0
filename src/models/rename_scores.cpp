#include "models/rename_scores.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"

namespace kedge::models {
namespace {

constexpr int kPlace = 30;   // the same place in the table
constexpr int kKey = 25;     // part of the same foreign key or index
constexpr int kValues = 25;  // values that are those of the other side of a join

// Was the missing column a key of a join, and is the candidate a foreign key to that target?
bool is_same_key(const RenamedSource& source, const Column& column, const std::string& candidate) {
  const schema::Table& table = *source.table;
  for (const Join& join : source.loaded->model.joins) {
    const bool local =
        std::any_of(join.join_pairs.begin(), join.join_pairs.end(), [&](const auto& pair) {
          return pair.first == column.name || pair.first == column.physical->text;
        });
    if (!local) {
      continue;
    }
    for (const schema::ForeignKey& key : table.foreign_keys) {
      const bool holds = std::find(key.columns.begin(), key.columns.end(), Identifier(candidate)) !=
                         key.columns.end();
      if (holds &&
          base::equals_ignoring_case(key.referenced_table.name.text(), join.target_model)) {
        return true;
      }
    }
  }
  const bool primary =
      table.primary_key &&
      std::find(table.primary_key->columns.begin(), table.primary_key->columns.end(),
                Identifier(candidate)) != table.primary_key->columns.end();
  return primary && column.primary_key;
}

bool is_indexed(const std::string& candidate, const schema::Table& table) {
  return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const schema::Index& index) {
    return std::any_of(index.parts.begin(), index.parts.end(), [&](const schema::IndexPart& part) {
      return part.column.text() == candidate;
    });
  });
}

// The columns over one missing live column, with their candidates by live column.
struct Group {
  std::vector<std::size_t> members;  // of RenamedSource::missing
  std::vector<std::map<std::size_t, RenameCandidate>> candidates;

  RenameCandidate* find(std::size_t member, std::size_t live) {
    const auto found = candidates[member].find(live);
    return found == candidates[member].end() ? nullptr : &found->second;
  }
};

// Where the missing column would stand in the table, going by its neighbours in the model.
std::vector<std::size_t> find_places(const RenamedSource& source, std::size_t column) {
  const auto place_of = [&](std::size_t neighbour) -> std::optional<std::size_t> {
    const Column& other = source.column(neighbour);
    if (!other.physical) {
      return std::nullopt;
    }
    const auto found = source.places.find(physical_key(other, source.loaded->dialect));
    return found == source.places.end() ? std::nullopt : std::optional(found->second);
  };
  if (column > 0) {
    const std::optional<std::size_t> before = place_of(column - 1);
    return before ? std::vector{*before + 1} : std::vector<std::size_t>{};
  }
  std::vector<std::size_t> places{0};
  if (source.loaded->model.columns.size() > 1) {
    if (const std::optional<std::size_t> after = place_of(1); after && *after > 0) {
      places.push_back(*after - 1);
    }
  }
  return places;
}

RenameCandidate judge(const RenamedSource& source, const Column& column, const LiveColumn& live,
                      bool same_place) {
  RenameCandidate candidate{source.loaded->id(),
                            column.name,
                            column.physical->text,
                            physical_key(column, source.loaded->dialect),
                            live.name,
                            written_name(live.name, source.loaded->dialect),
                            0,
                            {}};
  const int similarity = name_similarity(column, live.name);
  candidate.score = similarity / 2;
  if (similarity >= kSimilarName) {
    candidate.reasons.push_back("similar name");
  }
  if (same_place) {
    candidate.score += kPlace;
    candidate.reasons.push_back("same place in the table");
  }
  if (source.table && is_same_key(source, column, live.name)) {
    candidate.score += kKey;
    candidate.reasons.push_back("same key");
  } else if (source.table && similarity >= kSimilarName && is_indexed(live.name, *source.table)) {
    candidate.score += kKey / 5;
    candidate.reasons.push_back("indexed");
  }
  return candidate;
}

std::map<std::size_t, RenameCandidate> judge_column(const RenamedSource& source,
                                                    std::size_t column) {
  const std::vector<std::size_t> places = find_places(source, column);
  std::map<std::size_t, RenameCandidate> candidates;
  for (const std::size_t live : source.free) {
    if (source.fits(column, live)) {
      const bool same_place = std::find(places.begin(), places.end(), live) != places.end();
      candidates.emplace(live, judge(source, source.column(column), source.live(live), same_place));
    }
  }
  return candidates;
}

// What one column of the group knows of a candidate holds for each of them.
void share_scores(Group& group, const std::vector<std::size_t>& free) {
  for (const std::size_t live : free) {
    const RenameCandidate* best = nullptr;
    for (std::size_t member = 0; member < group.members.size(); ++member) {
      const RenameCandidate* one = group.find(member, live);
      best = one && (!best || one->score > best->score) ? one : best;
    }
    for (std::size_t member = 0; best && member < group.members.size(); ++member) {
      RenameCandidate* one = group.find(member, live);
      if (one && one->score < best->score) {
        one->score = best->score;
        one->reasons = best->reasons;
      }
    }
  }
}

// Values that match speak for a candidate, values that nowhere match against it.
void add_overlap(RenameCandidate& candidate, const ValueOverlap& overlap) {
  const std::string& against = overlap.probe.against;
  const std::string share =
      " (" + std::to_string(overlap.found) + " of " + std::to_string(overlap.read) + ")";
  if (overlap.found * 10 >= overlap.read * 8) {
    candidate.score += kValues;
    candidate.reasons.push_back("values of " + against + share);
  } else if (overlap.found == 0) {
    candidate.score -= kValues;
    candidate.reasons.push_back("not the values of " + against + share);
  }
}

class Groups {
 public:
  explicit Groups(const RenamedSource& source) : source_(source) {
    for (std::size_t number = 0; number < source.missing.size(); ++number) {
      const Column& column = source.column(source.missing[number]);
      Group& group = groups_[physical_key(column, source.loaded->dialect)];
      where_.emplace(column.name, std::pair(&group, group.members.size()));
      group.members.push_back(number);
      group.candidates.push_back(judge_column(source, source.missing[number]));
    }
    for (auto& [key, group] : groups_) {
      if (group.members.size() > 1) {
        share_scores(group, source.free);
      }
    }
  }

  void add(const std::vector<const ValueOverlap*>& overlaps) {
    std::map<std::string, std::size_t> lives;
    for (const std::size_t live : source_.free) {
      lives.emplace(source_.live(live).name, live);
    }
    std::set<std::tuple<const Group*, std::size_t, std::string>> seen;
    for (const ValueOverlap* overlap : overlaps) {
      const auto where = where_.find(overlap->probe.column);
      const auto live = lives.find(overlap->probe.candidate);
      if (where == where_.end() || live == lives.end() || overlap->read == 0) {
        continue;
      }
      const auto [group, member] = where->second;
      if (!group->find(member, live->second) ||
          !seen.emplace(group, live->second, overlap->probe.against).second) {
        continue;
      }
      for (std::size_t other = 0; other < group->members.size(); ++other) {
        if (RenameCandidate* candidate = group->find(other, live->second)) {
          add_overlap(*candidate, *overlap);
        }
      }
    }
  }

  std::vector<std::vector<RenameCandidate>> take() {
    std::vector<std::vector<RenameCandidate>> rows(source_.missing.size());
    for (auto& [key, group] : groups_) {
      for (std::size_t member = 0; member < group.members.size(); ++member) {
        for (auto& [live, candidate] : group.candidates[member]) {
          candidate.score = std::clamp(candidate.score, 0, 100);
          rows[group.members[member]].push_back(std::move(candidate));
        }
      }
    }
    return rows;
  }

 private:
  const RenamedSource& source_;
  std::map<std::string, Group> groups_;                          // by key
  std::map<std::string, std::pair<Group*, std::size_t>> where_;  // by the column's name
};

}  // namespace

bool RenamedSource::fits(std::size_t column_number, std::size_t live_number) const {
  const schema::Bucket bucket = live(live_number).bucket;
  return bucket == schema::Bucket::Undetermined || bucket == bucket_of(column(column_number).type);
}

std::string physical_key(const Column& column, SqlDialect dialect) {
  return written_key(dialect, column.physical->text, column.physical->quoted || !column.sql);
}

int name_similarity(const Column& missing, const std::string& live) {
  const int physical = name_similarity(missing.physical->text, live);
  return missing.name == missing.physical->text
             ? physical
             : std::max(physical, name_similarity(missing.name, live));
}

int name_similarity(std::string_view a, std::string_view b) {
  const std::string left = base::to_lower(a);
  const std::string right = base::to_lower(b);
  const std::size_t longest = std::max(left.size(), right.size());
  if (longest == 0) {
    return 0;
  }
  const std::size_t distance = base::edit_distance(left, right);
  int score = static_cast<int>(100 * (longest - std::min(distance, longest)) / longest);
  // One name inside the other, or a shared word, says more than letters do.
  if (left.size() > 1 && right.size() > 1 &&
      (left.find(right) != std::string::npos || right.find(left) != std::string::npos)) {
    score = std::max(score, 75);
  }
  const std::vector<std::string> left_words = base::split(left, '_');
  const std::vector<std::string> right_words = base::split(right, '_');
  int shared = 0;
  for (const std::string& word : left_words) {
    shared += !word.empty() &&
                      std::find(right_words.begin(), right_words.end(), word) != right_words.end()
                  ? 1
                  : 0;
  }
  const int words = static_cast<int>(std::max(left_words.size(), right_words.size()));
  return std::max(score, 100 * shared / words);
}

std::vector<std::vector<RenameCandidate>> judge_candidates(
    const RenamedSource& source, const std::vector<const ValueOverlap*>& overlaps) {
  Groups groups(source);
  groups.add(overlaps);
  return groups.take();
}

}  // namespace kedge::models
