// Rules of models that need the meaning of their texts (models.md 3, 4) and rules across models:
// cycles of derived columns, of measures and of query-backed models.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/model_set.h"

namespace kedge::models {

struct TextProblems {
  std::vector<Problem> errors;
  std::vector<Problem> warnings;
};

// dsl_in_sql, window_in_filter, formula_syntax, unknown_function, sql_unparsed, unknown_qualifier,
// multi_dot_rewritten, function_style.
TextProblems check_texts(const Model& model, const ModelFacts& facts, SqlDialect dialect);

// column_cycle, measure_cycle and, of query-backed models, stage_cycle: one problem for each model
// on a cycle.
std::vector<std::pair<ModelId, Problem>> check_cycles(const ModelSet& models);

}  // namespace kedge::models
