// Something that can stand in FROM: a model, a model extended for one query, or a stage.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/model.h"
#include "models/names.h"

namespace kedge::query {

struct Relation {
  std::string name;              // of the model or stage: the first part of result keys
  models::Model model;           // of a stage: the columns that it gives
  std::string source;            // SQL: a table, a parenthesised query, the name of a CTE
  std::set<std::string> models;  // names of the models behind it
};
using RelationPointer = std::shared_ptr<const Relation>;

// Finds a stage or a model by name; null when there is none in this data source.
using FindRelation = std::function<RelationPointer(const std::string& name)>;

// "a -> b -> a": the circle that `again` closes, without what led to it.
std::string cycle_text(const std::vector<std::string>& open, const std::string& again);

}  // namespace kedge::query
