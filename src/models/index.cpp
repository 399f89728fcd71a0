#include "models/index.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/glob.h"
#include "models/live.h"
#include "models/table_names.h"

namespace kedge::models {
namespace {

std::vector<std::string> physical_keys(const Column& column, SqlDialect dialect) {
  if (!column.physical) {
    return {};
  }
  std::string folded = written_key(dialect, column.physical->text, column.physical->quoted);
  if (column.sql) {
    return {std::move(folded)};
  }
  std::string exact = live_key(dialect, column.name);
  if (exact == folded) {
    return {std::move(folded)};
  }
  return {std::move(exact), std::move(folded)};
}

void index_columns(IndexedModel& indexed) {
  const Model& model = indexed.model();
  for (NameTable* table : {&indexed.columns, &indexed.folded_columns, &indexed.physical}) {
    table->reserve(model.columns.size());
  }
  for (Number number = 0; number < model.columns.size(); ++number) {
    const Column& column = model.columns[number];
    indexed.columns.add(column.name, number);
    indexed.folded_columns.add(written_key(indexed.dialect(), column.name, false), number);
    for (std::string& key : physical_keys(column, indexed.dialect())) {
      indexed.physical.add(std::move(key), number);
    }
  }
}

void index_items(IndexedModel& indexed) {
  const Model& model = indexed.model();
  for (Number number = 0; number < model.measures.size(); ++number) {
    indexed.measures.add(model.measures[number].name, number);
  }
  for (Number number = 0; number < model.aggregations.size(); ++number) {
    indexed.aggregations.add(model.aggregations[number].name, number);
  }
  for (Number number = 0; number < model.joins.size(); ++number) {
    indexed.joins.add(model.joins[number].hop(), number);
  }
}

void index_live(IndexedModel& indexed) {
  if (!indexed.is_known_live() || !indexed.shape->columns) {
    return;
  }
  const LiveColumns& columns = *indexed.shape->columns;
  indexed.live.reserve(columns.size());
  for (Number number = 0; number < columns.size(); ++number) {
    indexed.live.add(live_key(indexed.dialect(), columns[number].name), number);
  }
}

}  // namespace

Number find_declared(const IndexedModel& model, std::string_view text, bool quoted) {
  const Number exact = model.columns.find(text);
  // Where quoting is exact, a quoted name means the name as it is declared or a live column.
  const bool exact_only = quoted && written_key(model.dialect(), "A", true) == "A";
  return exact != kNone || exact_only
             ? exact
             : model.folded_columns.find(written_key(model.dialect(), text, quoted));
}

Number find_live_name(const IndexedModel& model, std::string_view name) {
  const Number exact = model.live.find(live_key(model.dialect(), name));
  return exact != kNone ? exact : model.live.find(written_key(model.dialect(), name, false));
}

Number find_live(const IndexedModel& model, const Column& column) {
  if (!column.sql) {
    return find_live_name(model, column.name);
  }
  return model.live.find(
      written_key(model.dialect(), column.physical->text, column.physical->quoted));
}

SourceIndex::SourceIndex(std::string data_source, const ModelSet& set, const LiveSource* source)
    : data_source_(std::move(data_source)), set_(set), source_(source) {
  for (const LoadedModel& loaded : set.models) {
    if (loaded.model.data_source != data_source_) {
      continue;
    }
    dialect_ = loaded.dialect;
    IndexedModel indexed;
    indexed.loaded = &loaded;
    if (source_) {
      const auto shape = source_->models.find(loaded.model.name);
      indexed.shape = shape == source_->models.end() ? nullptr : &shape->second;
    }
    index_columns(indexed);
    index_items(indexed);
    index_live(indexed);
    names_.add(loaded.model.name, static_cast<Number>(models_.size()));
    models_.push_back(std::move(indexed));
  }
  for (const ModelId& id : set.existing) {
    if (id.first != data_source_) {
      elsewhere_.insert(id.second);
    }
  }
  if (source_) {
    for (const LiveRelation& relation : source_->relations) {
      relations_.emplace(
          table_key(dialect_, relation.name.schema.text(), relation.name.name.text()), &relation);
    }
    // Where it is up to the server whether names of tables fold, the one as written comes first.
    for (const LiveRelation& relation : source_->relations) {
      const std::string name = live_key(dialect_, relation.name.name.text());
      relations_.emplace(live_key(dialect_, relation.name.schema.text()) + "." + name, &relation);
    }
  }
}

SourceIndex::Existence SourceIndex::existence(const std::string& name) const {
  if (names_.contains(name)) {
    return Existence::Here;
  }
  if (set_.existing.contains({data_source_, name})) {
    return Existence::Unreadable;
  }
  return elsewhere_.contains(name) ? Existence::Elsewhere : Existence::Nowhere;
}

const LiveRelation* SourceIndex::find_relation(const std::vector<sql::NamePart>& parts) const {
  if (parts.empty() || parts.size() > 2) {
    return nullptr;
  }
  const auto find = [&](const auto& key_of) {
    const std::string schema = parts.size() == 2 ? key_of(parts.front()) : "";
    return relations_.find(schema + "." + key_of(parts.back()));
  };
  auto found = find([&](const sql::NamePart& part) {
    return written_table_key(dialect_, {part.text, part.quoted});
  });
  if (found == relations_.end()) {
    found = find(
        [&](const sql::NamePart& part) { return written_key(dialect_, part.text, part.quoted); });
  }
  return found == relations_.end() ? nullptr : found->second;
}

bool SourceIndex::is_free_name(const std::vector<std::vector<sql::NamePart>>& relations,
                               const sql::NamePart& name) const {
  const std::string key = written_key(dialect_, name.text, name.quoted);
  return std::all_of(relations.begin(), relations.end(), [&](const auto& parts) {
    const LiveRelation* relation = find_relation(parts);
    return relation && relation->columns &&
           std::none_of(
               relation->columns->begin(), relation->columns->end(),
               [&](const LiveColumn& column) { return live_key(dialect_, column.name) == key; });
  });
}

namespace {

using Matches = std::function<bool(const std::string& pattern)>;

bool holds(const Scope& scope, const Matches& matches) {
  const std::vector<std::string>& include = scope.include_tables;
  const std::vector<std::string>& exclude = scope.exclude_tables;
  return (include.empty() || std::any_of(include.begin(), include.end(), matches)) &&
         std::none_of(exclude.begin(), exclude.end(), matches);
}

// Of an unqualified name: of the search path, where there is one and the name is on it.
std::string schema_of(const RelationName& relation, SqlDialect dialect, const LiveSource& live) {
  const std::string key = RelationKeys(dialect, live.default_schema, live.sight).of(relation);
  const std::size_t dot = key.find('.');
  return dot == std::string::npos || dot == 0 ? live.default_schema : key.substr(0, dot);
}

bool matches_relation(const std::string& pattern, const std::string& schema,
                      const std::string& table) {
  return base::matches_glob(pattern, table) ||
         (!schema.empty() && base::matches_glob(pattern, schema + "." + table));
}

}  // namespace

bool in_scope(const Scope& scope, std::string_view schema, std::string_view table) {
  return holds(scope, [&](const std::string& pattern) {
    return matches_relation(pattern, std::string(schema), std::string(table));
  });
}

bool in_scope(const Scope& scope, const LoadedModel& loaded, const LiveSource& live) {
  if (loaded.model.mode() != SourceMode::Table) {
    return true;
  }
  const std::optional<RelationName> relation =
      parse_relation(loaded.model.sql_table, loaded.dialect);
  if (!relation) {
    return true;
  }
  // As written, and as the database folds the name and would fold the pattern's live one.
  const PhysicalName schema =
      relation->schema.value_or(PhysicalName{schema_of(*relation, loaded.dialect, live), true});
  const std::string folded_schema = written_key(loaded.dialect, schema.text, schema.quoted);
  const std::string folded =
      written_key(loaded.dialect, relation->name.text, relation->name.quoted);
  return holds(scope, [&](const std::string& pattern) {
    return matches_relation(pattern, schema.text, relation->name.text) ||
           matches_relation(live_key(loaded.dialect, pattern), folded_schema, folded);
  });
}

}  // namespace kedge::models
