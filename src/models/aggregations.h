// The built-in words of the model language (models.md 2.5, 4): aggregations and their spellings,
// which of them a column type allows, transforms and scalar functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"

namespace kedge::models {

// "SUM" -> "sum", "countd" -> "count_distinct", ...; a name that is not built in stays as it is.
std::string fold_aggregation(std::string_view name);
bool is_builtin_aggregation(std::string_view folded);
// The default set of models.md 2.5 for a column.
std::span<const std::string_view> default_aggregations(ColumnType type);
std::span<const std::string_view> key_aggregations();  // of primary key columns
// May the column be aggregated so? `folded` may name a custom aggregation of the model.
bool is_aggregation_allowed(const Model& model, const Column& column, std::string_view folded);

bool is_transform(std::string_view name);
std::span<const std::string_view> transforms();
bool is_scalar_function(std::string_view name);  // any letter case
std::span<const std::string_view> scalar_functions();

}  // namespace kedge::models
