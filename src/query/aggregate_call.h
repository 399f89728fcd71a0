// One aggregate of a formula as SQL over a FROM clause. Internal to src/query.
#pragma once

#include <string>

#include "query/formula_sql.h"
#include "query/joins.h"

namespace kedge::query {

// `skip`: how many hops of the node's paths lead to the root of `joins`.
std::string aggregate_call(SqlDialect dialect, Joins& joins, const FormulaNode& node,
                           std::size_t skip);
// The argument of an aggregate with the column's filter inside, and of a column-valued argument.
std::string aggregated_value(Joins& joins, const FormulaNode& node, std::size_t skip);
std::string column_argument(Joins& joins, const models::FormulaArgument& argument,
                            std::size_t skip);

}  // namespace kedge::query
