// Names of the models of one data source, ready for look-ups: declared names exactly, SQL names by
// the dialect's folding, physical columns of the live source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/live.h"
#include "models/model_set.h"
#include "models/name_table.h"

namespace kedge::models {

struct IndexedModel {
  const LoadedModel* loaded = nullptr;
  const LiveShape* shape = nullptr;  // null for a query-backed model, or when nothing is known
  NameTable columns;                 // declared, exact
  NameTable folded_columns;          // declared, as the dialect folds an unquoted name
  NameTable measures;
  NameTable aggregations;
  NameTable joins;
  NameTable physical;  // base columns by physical key: several may share one
  NameTable live;      // live columns by their key

  const Model& model() const { return loaded->model; }
  const ModelFacts& facts() const { return loaded->facts; }
  SqlDialect dialect() const { return loaded->dialect; }
  bool is_opaque() const { return shape && shape->state == LiveShape::State::Opaque; }
  bool is_known_live() const { return shape && shape->state == LiveShape::State::Present; }
};

// A declared column by a name written in SQL.
Number find_declared(const IndexedModel& model, std::string_view text, bool quoted);
// A live column by the source name of a base column: exactly first when `sql` is not given.
Number find_live(const IndexedModel& model, const Column& column);
Number find_live_name(const IndexedModel& model, std::string_view name);  // exact, then folded

class SourceIndex {
 public:
  // `source` may be null: nothing is known about the database.
  SourceIndex(std::string data_source, const ModelSet& set, const LiveSource* source);

  const std::string& data_source() const { return data_source_; }
  const std::vector<IndexedModel>& models() const { return models_; }
  Number find_model(const std::string& name) const { return names_.find(name); }
  enum class Existence { Here, Unreadable, Elsewhere, Nowhere };
  Existence existence(const std::string& name) const;
  // Do all relations exist, and has none of them such a column? (models.md 3.3)
  bool is_free_name(const std::vector<std::vector<sql::NamePart>>& relations,
                    const sql::NamePart& name) const;

 private:
  const LiveRelation* find_relation(const std::vector<sql::NamePart>& parts) const;

  std::string data_source_;
  SqlDialect dialect_ = SqlDialect::Generic;
  const ModelSet& set_;
  const LiveSource* source_ = nullptr;
  std::vector<IndexedModel> models_;
  NameTable names_;
  std::unordered_set<std::string> elsewhere_;
  std::unordered_map<std::string, const LiveRelation*> relations_;  // "schema.name" keys
};

}  // namespace kedge::models
