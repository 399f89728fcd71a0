#include "models/renames.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "document/edit.h"
#include "kedge/codes.h"
#include "models/index.h"
#include "models/ingest_relations.h"
#include "models/store.h"

namespace kedge::models {
namespace {

constexpr int kSimilar = 50;  // a name that looks like another one
constexpr int kPlace = 30;    // the same place in the table
constexpr int kKey = 25;      // part of the same foreign key or index
constexpr int kValues = 25;   // values that are those of the other side of a join
constexpr int kMostRows = 200;

struct MissingColumn {
  const LoadedModel* loaded = nullptr;
  const LiveShape* shape = nullptr;
  const LiveSource* source = nullptr;
  std::size_t column = 0;
};

std::vector<MissingColumn> find_missing(const ModelSet& models, const LiveShapes& live,
                                        const std::vector<ToDeleteEntry>& entries) {
  std::map<ModelId, const LoadedModel*> by_id;
  for (const LoadedModel& loaded : models.models) {
    by_id.emplace(loaded.id(), &loaded);
  }
  std::vector<MissingColumn> missing;
  for (const ToDeleteEntry& entry : entries) {
    const ModelId id{data_source(entry), model_name(entry)};
    const auto source = live.find(id.first);
    const auto loaded = by_id.find(id);
    if (source == live.end() || loaded == by_id.end()) {
      continue;
    }
    const auto shape = source->second.models.find(id.second);
    if (shape == source->second.models.end() || !shape->second.columns) {
      continue;
    }
    for (const DeleteReason& reason : reasons(entry)) {
      if (reason.code != codes::column_missing.name() &&
          reason.code != codes::column_not_in_result.name()) {
        continue;
      }
      const std::string name = reason.target.substr(reason.target.find(':') + 1);
      const std::vector<Column>& columns = loaded->second->model.columns;
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const Column& column) { return column.name == name; });
      if (found != columns.end()) {
        missing.push_back({loaded->second, &shape->second, &source->second,
                           static_cast<std::size_t>(found - columns.begin())});
      }
    }
  }
  return missing;
}

// Live columns that no base column of the model stands for, of the bucket of `column`.
std::vector<std::size_t> find_free_columns(const MissingColumn& missing) {
  const Model& model = missing.loaded->model;
  const SqlDialect dialect = missing.loaded->dialect;
  std::set<std::string> declared;
  for (const Column& column : model.columns) {
    if (column.physical) {
      declared.insert(written_key(dialect, column.physical->text, column.physical->quoted));
      if (!column.sql) {
        declared.insert(live_key(dialect, column.name));
      }
    }
  }
  std::vector<std::size_t> free;
  for (std::size_t number = 0; number < missing.shape->columns->size(); ++number) {
    const LiveColumn& live = (*missing.shape->columns)[number];
    const bool bucket = live.bucket == schema::Bucket::Undetermined ||
                        live.bucket == bucket_of(model.columns[missing.column].type);
    if (bucket && !declared.contains(live_key(dialect, live.name))) {
      free.push_back(number);
    }
  }
  return free;
}

// The live neighbours of the missing column in the model are the candidate's in the table.
bool is_same_place(const MissingColumn& missing, std::size_t candidate) {
  const std::vector<Column>& columns = missing.loaded->model.columns;
  const LiveColumns& live = *missing.shape->columns;
  const SqlDialect dialect = missing.loaded->dialect;
  const auto place_of = [&](const Column& column) -> std::size_t {
    if (!column.physical) {
      return live.size();
    }
    const std::string key =
        written_key(dialect, column.physical->text, column.physical->quoted || !column.sql);
    for (std::size_t number = 0; number < live.size(); ++number) {
      if (live_key(dialect, live[number].name) == key) {
        return number;
      }
    }
    return live.size();
  };
  if (missing.column > 0) {
    return place_of(columns[missing.column - 1]) + 1 == candidate;
  }
  return candidate == 0 || (columns.size() > 1 && place_of(columns[1]) == candidate + 1);
}

const schema::Table* find_live_table(const MissingColumn& missing, const schema::Schema* schema) {
  if (!schema || missing.loaded->model.mode() != SourceMode::Table) {
    return nullptr;
  }
  const SqlDialect dialect = missing.loaded->dialect;
  const std::optional<RelationName> relation =
      parse_relation(missing.loaded->model.sql_table, dialect);
  if (!relation) {
    return nullptr;
  }
  const std::string key = relation_key(*relation, *schema, dialect);
  const auto found = std::find_if(
      schema->tables.begin(), schema->tables.end(),
      [&](const schema::Table& table) { return relation_key(table.name, dialect) == key; });
  return found == schema->tables.end() ? nullptr : &*found;
}

// Was the missing column a key of a join, and is the candidate a foreign key to that target?
bool is_same_key(const MissingColumn& missing, const std::string& candidate,
                 const schema::Table& table) {
  const Model& model = missing.loaded->model;
  const Column& column = model.columns[missing.column];
  for (const Join& join : model.joins) {
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

std::string missing_key(const MissingColumn& missing) {
  const Column& column = missing.loaded->model.columns[missing.column];
  return written_key(missing.loaded->dialect, column.physical->text,
                     column.physical->quoted || !column.sql);
}

RenameCandidate judge(const MissingColumn& missing, std::size_t number,
                      const schema::Table* table) {
  const Column& column = missing.loaded->model.columns[missing.column];
  const std::string& live = (*missing.shape->columns)[number].name;
  RenameCandidate candidate{missing.loaded->id(),
                            column.name,
                            column.physical->text,
                            missing_key(missing),
                            live,
                            written_name(live, missing.loaded->dialect),
                            0,
                            {}};
  const int similarity =
      std::max(name_similarity(column.physical->text, live), name_similarity(column.name, live));
  candidate.score = similarity / 2;
  if (similarity >= kSimilar) {
    candidate.reasons.push_back("similar name");
  }
  if (is_same_place(missing, number)) {
    candidate.score += kPlace;
    candidate.reasons.push_back("same place in the table");
  }
  if (table && is_same_key(missing, live, *table)) {
    candidate.score += kKey;
    candidate.reasons.push_back("same key");
  } else if (table && similarity >= kSimilar && is_indexed(live, *table)) {
    candidate.score += kKey / 5;
    candidate.reasons.push_back("indexed");
  }
  return candidate;
}

bool is_same_rename(const RenameCandidate& a, const RenameCandidate& b) {
  return a.model == b.model && a.key == b.key && a.candidate == b.candidate;
}

// What the columns over one live column know of a candidate holds for each of them.
void share_scores(std::vector<RenameCandidate>& candidates) {
  const std::vector<RenameCandidate> alone = candidates;
  for (RenameCandidate& candidate : candidates) {
    for (const RenameCandidate& other : alone) {
      if (is_same_rename(candidate, other) && other.score > candidate.score) {
        candidate.score = other.score;
        candidate.reasons = other.reasons;
      }
    }
  }
}

// Values that match speak for a candidate, values that nowhere match against it.
void add_overlap(const std::vector<ValueOverlap>& overlaps,
                 const std::vector<RenameCandidate>& columns, RenameCandidate& candidate) {
  std::set<std::string> seen;
  for (const ValueOverlap& overlap : overlaps) {
    const ValueProbe& probe = overlap.probe;
    const bool probed =
        std::any_of(columns.begin(), columns.end(), [&](const RenameCandidate& other) {
          return is_same_rename(candidate, other) && probe.column == other.column;
        });
    if (probe.model != candidate.model || probe.candidate != candidate.candidate || !probed ||
        overlap.read == 0 || !seen.insert(probe.against).second) {
      continue;
    }
    const std::string share =
        " (" + std::to_string(overlap.found) + " of " + std::to_string(overlap.read) + ")";
    if (overlap.found * 10 >= overlap.read * 8) {
      candidate.score += kValues;
      candidate.reasons.push_back("values of " + probe.against + share);
    } else if (overlap.found == 0) {
      candidate.score -= kValues;
      candidate.reasons.push_back("not the values of " + probe.against + share);
    }
  }
  candidate.score = std::clamp(candidate.score, 0, 100);
}

struct KeySide {
  const LoadedModel* model = nullptr;
  std::string key;
};

// The other sides of the joins that the column is a key of, where a table stands behind them.
std::vector<KeySide> find_other_sides(const ModelSet& models, const MissingColumn& missing) {
  const Column& column = missing.loaded->model.columns[missing.column];
  std::vector<KeySide> sides;
  const auto is_column = [&](const std::string& key) {
    return key == column.name || key == column.physical->text;
  };
  const auto add = [&](const std::string& name, const std::string& key) {
    for (const LoadedModel& other : models.models) {
      if (other.model.data_source == missing.loaded->model.data_source &&
          other.model.name == name && other.model.mode() == SourceMode::Table) {
        sides.push_back({&other, key});
      }
    }
  };
  for (const LoadedModel& loaded : models.models) {
    if (loaded.model.data_source != missing.loaded->model.data_source) {
      continue;
    }
    for (const Join& join : loaded.model.joins) {
      for (const auto& [local, target] : join.join_pairs) {
        if (&loaded == missing.loaded && is_column(local)) {
          add(join.target_model, target);
        } else if (join.target_model == missing.loaded->model.name && is_column(target)) {
          add(loaded.model.name, local);
        }
      }
    }
  }
  return sides;
}

// The key as SQL over its table; nothing for a derived one.
std::optional<std::string> key_sql(const KeySide& side) {
  const Column* declared = find_column(side.model->model, side.key);
  if (!declared) {
    return written_name(side.key, side.model->dialect);
  }
  if (!declared->is_base()) {
    return std::nullopt;
  }
  return declared->sql ? *declared->sql : written_name(declared->name, side.model->dialect);
}

bool has_limit(SqlDialect dialect) {
  return dialect != SqlDialect::Sqlserver && dialect != SqlDialect::Oracle &&
         dialect != SqlDialect::Generic;
}

}  // namespace

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

std::vector<ValueProbe> find_value_probes(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries) {
  std::vector<ValueProbe> probes;
  for (const MissingColumn& missing : find_missing(models, live, entries)) {
    const Model& model = missing.loaded->model;
    const SqlDialect dialect = missing.loaded->dialect;
    if (model.mode() != SourceMode::Table || !has_limit(dialect)) {
      continue;
    }
    for (const KeySide& side : find_other_sides(models, missing)) {
      const std::optional<std::string> key = key_sql(side);
      for (const std::size_t number :
           key ? find_free_columns(missing) : std::vector<std::size_t>{}) {
        const std::string& candidate = (*missing.shape->columns)[number].name;
        const std::string name = written_name(candidate, dialect);
        probes.push_back({missing.loaded->id(), model.columns[missing.column].name, candidate,
                          side.model->model.name + "." + side.key,
                          "SELECT COUNT(*), SUM(CASE WHEN EXISTS (SELECT 1 FROM " +
                              side.model->model.sql_table + " k WHERE k." + *key +
                              " = s.v) THEN 1 ELSE 0 END) FROM (SELECT t." + name + " AS v FROM " +
                              model.sql_table + " t WHERE t." + name + " IS NOT NULL LIMIT " +
                              std::to_string(kMostRows) + ") s"});
      }
    }
  }
  return probes;
}

std::vector<RenameCandidate> find_rename_candidates(const ModelSet& models, const LiveShapes& live,
                                                    const std::vector<ToDeleteEntry>& entries,
                                                    const RenameEvidence& evidence,
                                                    int least_score) {
  std::vector<RenameCandidate> candidates;
  std::vector<std::size_t> ends;  // of each column's candidates
  for (const MissingColumn& missing : find_missing(models, live, entries)) {
    const auto schema = evidence.schemas.find(missing.loaded->model.data_source);
    const schema::Table* table =
        find_live_table(missing, schema == evidence.schemas.end() ? nullptr : schema->second);
    for (const std::size_t number : find_free_columns(missing)) {
      candidates.push_back(judge(missing, number, table));
    }
    ends.push_back(candidates.size());
  }
  share_scores(candidates);
  const std::vector<RenameCandidate> columns = candidates;
  for (RenameCandidate& candidate : candidates) {
    add_overlap(evidence.overlaps, columns, candidate);
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::stable_sort(candidates.begin() + static_cast<std::ptrdiff_t>(begin),
                     candidates.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const RenameCandidate& a, const RenameCandidate& b) {
                       return a.score != b.score ? a.score > b.score : a.candidate < b.candidate;
                     });
    begin = end;
  }
  std::erase_if(candidates,
                [&](const RenameCandidate& candidate) { return candidate.score < least_score; });
  return candidates;
}

std::vector<RenameHint> find_rename_hints(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries) {
  std::vector<RenameHint> hints;
  for (const MissingColumn& missing : find_missing(models, live, entries)) {
    const Column& column = missing.loaded->model.columns[missing.column];
    std::vector<std::string> similar;
    for (const std::size_t number : find_free_columns(missing)) {
      const std::string& name = (*missing.shape->columns)[number].name;
      if (std::max(name_similarity(column.physical->text, name),
                   name_similarity(column.name, name)) >= kSimilar) {
        similar.push_back(name);
      }
    }
    if (similar.size() == 1) {
      hints.push_back({missing.loaded->id(), column.name, similar.front()});
    }
  }
  return hints;
}

std::string rename_in_text(const std::string& path, const std::string& text,
                           const RenameCandidate& rename, SqlDialect dialect) {
  const document::Document document = document::read_document(path, text, document::Format::Yaml);
  const document::Node* columns = document.root.find("columns");
  for (std::size_t number = 0; columns && number < columns->items.size(); ++number) {
    const document::Node* name = columns->items[number].find("name");
    if (!name || name->text != rename.column) {
      continue;
    }
    document::Editor editor(document);
    editor.set({std::string("columns"), number}, "sql", rename.sql);
    std::string changed = editor.apply();
    const LoadedFile loaded = load_model_text(path, changed, rename.model.first, dialect);
    if (!loaded.model) {
      throw Error(codes::invalid_result, "with the renamed column the model would not be valid: " +
                                             loaded.errors.front().message);
    }
    return changed;
  }
  throw Error(codes::model_changed,
              "model '" + rename.model.second + "' has no column '" + rename.column + "' any more");
}

}  // namespace kedge::models
