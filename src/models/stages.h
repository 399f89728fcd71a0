// Stages of a query list (models.md 5): the rules of their names and order, and the names of the
// columns that a stage gives to the next one.
#pragma once

#include <string>
#include <vector>

#include "models/facts.h"
#include "models/model.h"

namespace kedge::models {

struct StageProblem {
  Code code;
  std::string message;
  Place place;
};

// duplicate_name, stage_order and missing names of a stored `source_queries`.
std::vector<StageProblem> check_stored_stages(const Model& model);

// "depots.regions.name" -> "depots__regions__name".
std::string output_name(const QueryDimension& dimension);
std::string output_name(const TimeDimension& dimension);
// "amount:sum" -> "amount_sum", "*:count" -> "_count", "x:percentile(p=0.5)" ->
// "x_percentile_p_0_5"; a named measure keeps its name, a saved measure its own.
std::string output_name(const QueryMeasure& measure);
// In the order dimensions, time dimensions, measures.
std::vector<std::string> output_names(const Query& stage);

}  // namespace kedge::models
