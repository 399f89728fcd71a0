// What the texts of a model refer to, found once when the model is loaded: SQL texts through the
// SQL analyser, formulas through the formula parser. The cascade works on these facts only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"
#include "models/model.h"
#include "sql/analysis.h"

namespace kedge::models {

// One name in a formula.
struct FormulaReference {
  enum class Kind {
    Bare,       // `mean_weight`, `depots.fill_rate`: a measure, or an alias, or a grouped column
    Aggregate,  // `depots.capacity:sum`: `path` is the column
    Star,       // `*:count`, `depots.*:count`: `path` holds the hops only
    Argument    // a column-valued argument: `weight=qty`, `last(booked_at)`, `partition_by=d`
  };
  Kind kind = Kind::Bare;
  std::vector<std::string> path;
  std::string aggregation;  // folded; Aggregate only
  std::size_t begin = 0;    // byte offset in the formula
};

struct FormulaFacts {
  std::optional<Problem> error;  // formula_syntax, unknown_function, window_in_formula, ...
  std::size_t error_offset = 0;
  bool function_style = false;
  std::vector<FormulaReference> references;  // in the order of the text
};

FormulaFacts analyse_formula(std::string_view formula);
std::vector<std::string> split_path(std::string_view dotted);

struct ColumnFacts {
  sql::ExpressionFacts sql;     // derived columns only
  sql::ExpressionFacts filter;  // where there is one
};

struct AggregationFacts {
  sql::ExpressionFacts formula;
  std::vector<sql::ExpressionFacts> params;
};

struct ModelFacts;

struct StageFacts {
  std::vector<FormulaFacts> measures;
  std::vector<FormulaFacts> filters;
  std::vector<FormulaFacts> order;
  std::vector<ColumnFacts> extension_columns;
  std::vector<FormulaFacts> extension_measures;
  std::vector<ModelFacts> inline_model;  // none or one
};

// Parallel to the lists of the model.
struct ModelFacts {
  std::vector<ColumnFacts> columns;
  std::vector<FormulaFacts> measures;
  std::vector<AggregationFacts> aggregations;
  std::vector<sql::ExpressionFacts> filters;
  std::vector<StageFacts> stages;
};

ModelFacts find_facts(const Model& model, SqlDialect dialect);

}  // namespace kedge::models
