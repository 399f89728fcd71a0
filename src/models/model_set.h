// The models of a project as the cascade sees them: those that could be read, with their facts, and
// the names of all that exist.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kedge/models.h"
#include "models/facts.h"
#include "models/model.h"

namespace kedge::models {

struct LiveSource;

struct LoadedModel {
  Model model;
  ModelFacts facts;
  SqlDialect dialect = SqlDialect::Generic;
  std::string hash;  // of the file's bytes
  ModelId id() const { return {model.data_source, model.name}; }
};

struct ModelSet {
  std::vector<LoadedModel> models;  // sorted by (data source, name)
  std::set<ModelId> existing;       // every model with a file, also broken and unread ones
};

// May the scope look at the relation? An empty scope holds everything.
bool in_scope(const Scope& scope, std::string_view schema, std::string_view table);
// A sql_table model by its table, an unqualified one in the schema where `live` finds it; all other
// models are always in scope.
bool in_scope(const Scope& scope, const LoadedModel& model, const LiveSource& live);

}  // namespace kedge::models
