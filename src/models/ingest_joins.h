// Joins that the foreign keys of a relation add to its model (models.md 12). Private to ingest.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/ingest_relations.h"

namespace kedge::models {

struct NewJoin {
  std::string target_model;
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string name;  // empty: the target's
  const std::string& hop() const { return name.empty() ? target_model : name; }
};

struct JoinContext {
  const IngestInput& input;
  const std::unordered_map<std::string, const IngestRelation*>& relations;  // in scope, by key
  const std::unordered_map<std::string, const LoadedModel*>& table_models;
  const std::unordered_map<std::string, const LoadedModel*>& readable;
};

// In the order of the first local column of each foreign key. `model` is null for one to be made.
std::vector<NewJoin> find_new_joins(const JoinContext& context, const IngestRelation& relation,
                                    const Model* model);

}  // namespace kedge::models
