// The built-in aggregations of models.md 2.5 in the words of each dialect.
#pragma once

#include <optional>
#include <string>

#include "query/words.h"

namespace kedge::query {

struct Aggregated {
  std::string function;  // folded
  std::string value;     // the argument
  ColumnType type = ColumnType::Double;
  std::string other;  // corr, covar: the second column; weighted_avg: the weight
  std::string p;      // percentile
};

// nullopt: the dialect has none (unsupported_aggregation). first and last are not said here.
std::optional<std::string> aggregate(SqlDialect dialect, const Aggregated& call);
// The type of what comes out.
ColumnType result_type(const std::string& function, ColumnType column);

}  // namespace kedge::query
