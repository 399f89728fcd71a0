#include "models/aggregations.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kedge::models {
namespace {

constexpr std::array<std::string_view, 19> kBuiltin{"sum",
                                                    "avg",
                                                    "min",
                                                    "max",
                                                    "count",
                                                    "count_distinct",
                                                    "count_distinct_approx",
                                                    "median",
                                                    "percentile",
                                                    "weighted_avg",
                                                    "first",
                                                    "last",
                                                    "stddev_samp",
                                                    "stddev_pop",
                                                    "var_samp",
                                                    "var_pop",
                                                    "corr",
                                                    "covar_samp",
                                                    "covar_pop"};
constexpr std::array<std::string_view, 7> kText{
    "count", "count_distinct", "count_distinct_approx", "first", "last", "min", "max"};
constexpr std::array<std::string_view, 8> kBoolean{
    "count", "count_distinct", "count_distinct_approx", "first", "last", "min", "max", "sum"};
constexpr std::array<std::string_view, 3> kKey{"count", "count_distinct", "count_distinct_approx"};
constexpr std::array<std::string_view, 13> kTransforms{
    "cumsum", "lag",  "lead",       "time_shift",   "change", "change_pct",         "first",
    "last",   "rank", "dense_rank", "percent_rank", "ntile",  "consecutive_periods"};
constexpr std::array<std::string_view, 30> kScalar{
    "round",   "abs",    "ceil",      "floor", "coalesce", "nullif", "ifnull", "greatest",
    "least",   "sqrt",   "exp",       "ln",    "log",      "log10",  "log2",   "power",
    "mod",     "sign",   "trunc",     "lower", "upper",    "trim",   "ltrim",  "rtrim",
    "replace", "substr", "substring", "instr", "length",   "concat"};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string fold_aggregation(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSpellings{{
      {"countd", "count_distinct"},
      {"countdistinct", "count_distinct"},
      {"approx_count_distinct", "count_distinct_approx"},
      {"stddev", "stddev_samp"},
      {"var", "var_samp"},
      {"variance", "var_samp"},
  }};
  const std::string lower = base::to_lower(name);
  for (const auto& [spelling, folded] : kSpellings) {
    if (lower == spelling) {
      return std::string(folded);
    }
  }
  return contains(kBuiltin, lower) ? lower : std::string(name);
}

bool is_builtin_aggregation(std::string_view folded) {
  return contains(kBuiltin, folded);
}

std::span<const std::string_view> default_aggregations(ColumnType type) {
  switch (type) {
    case ColumnType::Int:
    case ColumnType::Double:
      return kBuiltin;
    case ColumnType::Boolean:
      return kBoolean;
    case ColumnType::Text:
    case ColumnType::Date:
    case ColumnType::Timestamp:
      return kText;
  }
  return kText;
}

std::span<const std::string_view> key_aggregations() {
  return kKey;
}

bool is_aggregation_allowed(const Model& model, const Column& column, std::string_view folded) {
  if (column.allowed_aggregations) {
    return contains(*column.allowed_aggregations, folded);
  }
  if (column.primary_key) {
    return contains(kKey, folded);
  }
  return contains(default_aggregations(column.type), folded) ||
         find_aggregation(model, folded) != nullptr;
}

bool is_transform(std::string_view name) {
  return contains(kTransforms, name);
}
std::span<const std::string_view> transforms() {
  return kTransforms;
}
bool is_scalar_function(std::string_view name) {
  return contains(kScalar, base::to_lower(name));
}
std::span<const std::string_view> scalar_functions() {
  return kScalar;
}

}  // namespace kedge::models
