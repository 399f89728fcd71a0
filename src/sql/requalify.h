// Tables of one schema under other names: what stands as a relation, or as the qualifier of a
// column, and nothing that only looks like it (texts, comments, aliases).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sql/analysis.h"

namespace kedge::sql {

// `replace` gives what is written instead of `schema.table`, quoted. The schema's name is compared
// without regard to case.
std::string requalify(std::string_view query, const Syntax& syntax, std::string_view schema,
                      const std::function<std::string(const NamePart&)>& replace);

}  // namespace kedge::sql
