// Word tables of the analyser. Internal to src/sql.
#pragma once

#include <cstddef>
#include <string_view>

#include "sql/analysis.h"

namespace kedge::sql {

// All take lower-case words.
// Values without parentheses: CURRENT_DATE, SYSDATE, ROWNUM ...
bool is_niladic(std::string_view word, Flavour flavour);
// Words that can never be a column where an expression starts: FROM, WHERE, AND, THEN ...
bool is_structural(std::string_view word);
// Words after an expression or a table that are no alias.
bool ends_alias(std::string_view word);
// YEAR, MONTH, ISOWEEK ...
bool is_unit(std::string_view word);
// Does this argument of the function name a unit (DATEADD(day, ...))?
bool takes_unit(std::string_view function, std::size_t index, Flavour flavour);
// Does an argument `x -> ...` of the function mean a lambda?
bool takes_lambda(std::string_view function, Flavour flavour);
bool is_aggregate(std::string_view function);

}  // namespace kedge::sql
