#include "models/renames.h"

#include <algorithm>
#include <set>
#include <utility>

#include "document/edit.h"
#include "kedge/codes.h"
#include "models/rename_scores.h"
#include "models/store.h"

namespace kedge::models {
namespace {

constexpr int kMostRows = 200;

// Live columns that no base column of the model stands for.
std::vector<std::size_t> find_free_columns(const LoadedModel& loaded, const LiveColumns& live) {
  std::set<std::string> declared;
  for (const Column& column : loaded.model.columns) {
    if (column.physical) {
      declared.insert(written_key(loaded.dialect, column.physical->text, column.physical->quoted));
      if (!column.sql) {
        declared.insert(live_key(loaded.dialect, column.name));
      }
    }
  }
  std::vector<std::size_t> free;
  for (std::size_t number = 0; number < live.size(); ++number) {
    if (!declared.contains(live_key(loaded.dialect, live[number].name))) {
      free.push_back(number);
    }
  }
  return free;
}

std::vector<std::size_t> find_missing_columns(const Model& model,
                                              const std::vector<DeleteReason>& reasons) {
  std::set<std::string> gone;
  for (const DeleteReason& reason : reasons) {
    if (reason.code == codes::column_missing.name() ||
        reason.code == codes::column_not_in_result.name()) {
      gone.insert(reason.target.substr(reason.target.find(':') + 1));
    }
  }
  std::vector<std::size_t> missing;
  for (std::size_t number = 0; !gone.empty() && number < model.columns.size(); ++number) {
    if (gone.contains(model.columns[number].name)) {
      missing.push_back(number);
    }
  }
  return missing;
}

// The models that lack columns and have live ones that nobody declared.
std::vector<RenamedSource> find_renamed_sources(const ModelSet& models, const LiveShapes& live,
                                                const std::vector<ToDeleteEntry>& entries) {
  std::map<ModelId, const LoadedModel*> by_id;
  for (const LoadedModel& loaded : models.models) {
    by_id.emplace(loaded.id(), &loaded);
  }
  std::vector<RenamedSource> sources;
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
    RenamedSource renamed{loaded->second, &shape->second, nullptr, {}, {}, {}};
    renamed.missing = find_missing_columns(loaded->second->model, reasons(entry));
    if (renamed.missing.empty()) {
      continue;
    }
    const LiveColumns& columns = *shape->second.columns;
    renamed.free = find_free_columns(*loaded->second, columns);
    for (std::size_t number = 0; number < columns.size(); ++number) {
      renamed.places.emplace(live_key(loaded->second->dialect, columns[number].name), number);
    }
    sources.push_back(std::move(renamed));
  }
  return sources;
}

const schema::Table* find_live_table(const LoadedModel& loaded, const schema::Schema* schema,
                                     const Sight& sight) {
  if (!schema || loaded.model.mode() != SourceMode::Table) {
    return nullptr;
  }
  const std::optional<RelationName> relation =
      parse_relation(loaded.model.sql_table, loaded.dialect);
  if (!relation) {
    return nullptr;
  }
  const RelationKeys keys(loaded.dialect, schema->default_schema.text(), sight);
  const std::string key = keys.of(*relation);
  const auto found =
      std::find_if(schema->tables.begin(), schema->tables.end(),
                   [&](const schema::Table& table) { return keys.of(table.name) == key; });
  return found == schema->tables.end() ? nullptr : &*found;
}

struct KeySide {
  const LoadedModel* model = nullptr;
  std::string key;
};

// The other sides of the joins that the column is a key of, where a table stands behind them.
std::vector<KeySide> find_other_sides(const ModelSet& models, const LoadedModel& owner,
                                      const Column& column) {
  std::vector<KeySide> sides;
  const auto is_column = [&](const std::string& key) {
    return key == column.name || key == column.physical->text;
  };
  const auto add = [&](const std::string& name, const std::string& key) {
    for (const LoadedModel& other : models.models) {
      if (other.model.data_source == owner.model.data_source && other.model.name == name &&
          other.model.mode() == SourceMode::Table) {
        sides.push_back({&other, key});
      }
    }
  };
  for (const LoadedModel& loaded : models.models) {
    if (loaded.model.data_source != owner.model.data_source) {
      continue;
    }
    for (const Join& join : loaded.model.joins) {
      for (const auto& [local, target] : join.join_pairs) {
        if (&loaded == &owner && is_column(local)) {
          add(join.target_model, target);
        } else if (join.target_model == owner.model.name && is_column(target)) {
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

std::string probe_sql(const RenamedSource& source, std::size_t live, const KeySide& side,
                      const std::string& key) {
  const std::string name = written_name(source.live(live).name, source.loaded->dialect);
  return "SELECT COUNT(*), SUM(CASE WHEN EXISTS (SELECT 1 FROM " + side.model->model.sql_table +
         " k WHERE k." + key + " = s.v) THEN 1 ELSE 0 END) FROM (SELECT t." + name + " AS v FROM " +
         source.loaded->model.sql_table + " t WHERE t." + name + " IS NOT NULL LIMIT " +
         std::to_string(kMostRows) + ") s";
}

}  // namespace

std::vector<ValueProbe> find_value_probes(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries) {
  std::vector<ValueProbe> probes;
  for (const RenamedSource& source : find_renamed_sources(models, live, entries)) {
    const Model& model = source.loaded->model;
    if (model.mode() != SourceMode::Table || !has_limit(source.loaded->dialect)) {
      continue;
    }
    for (const std::size_t missing : source.missing) {
      for (const KeySide& side : find_other_sides(models, *source.loaded, source.column(missing))) {
        const std::optional<std::string> key = key_sql(side);
        for (const std::size_t number : key ? source.free : std::vector<std::size_t>{}) {
          if (source.fits(missing, number)) {
            probes.push_back({source.loaded->id(), source.column(missing).name,
                              source.live(number).name, side.model->model.name + "." + side.key,
                              probe_sql(source, number, side, *key)});
          }
        }
      }
    }
  }
  return probes;
}

std::vector<RenameCandidate> find_rename_candidates(const ModelSet& models, const LiveShapes& live,
                                                    const std::vector<ToDeleteEntry>& entries,
                                                    const RenameEvidence& evidence,
                                                    int least_score) {
  std::map<ModelId, std::vector<const ValueOverlap*>> overlaps;
  for (const ValueOverlap& overlap : evidence.overlaps) {
    overlaps[overlap.probe.model].push_back(&overlap);
  }
  std::vector<RenameCandidate> candidates;
  for (RenamedSource& source : find_renamed_sources(models, live, entries)) {
    const auto schema = evidence.schemas.find(source.loaded->model.data_source);
    source.table =
        find_live_table(*source.loaded, schema == evidence.schemas.end() ? nullptr : schema->second,
                        live.at(source.loaded->model.data_source).sight);
    for (auto& row : judge_candidates(source, overlaps[source.loaded->id()])) {
      std::stable_sort(row.begin(), row.end(),
                       [](const RenameCandidate& a, const RenameCandidate& b) {
                         return a.score != b.score ? a.score > b.score : a.candidate < b.candidate;
                       });
      for (RenameCandidate& candidate : row) {
        if (candidate.score >= least_score) {
          candidates.push_back(std::move(candidate));
        }
      }
    }
  }
  return candidates;
}

std::vector<RenameHint> find_rename_hints(const ModelSet& models, const LiveShapes& live,
                                          const std::vector<ToDeleteEntry>& entries) {
  std::vector<RenameHint> hints;
  for (const RenamedSource& source : find_renamed_sources(models, live, entries)) {
    for (const std::size_t missing : source.missing) {
      std::vector<std::string> similar;
      for (const std::size_t number : source.free) {
        const std::string& name = source.live(number).name;
        if (source.fits(missing, number) &&
            name_similarity(source.column(missing), name) >= kSimilarName) {
          similar.push_back(name);
        }
      }
      if (similar.size() == 1) {
        hints.push_back({source.loaded->id(), source.column(missing).name, similar.front()});
      }
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
