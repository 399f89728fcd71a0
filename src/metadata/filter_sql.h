// Filters and expressions as SQL. The caller says how a field is written.
#pragma once

#include <functional>
#include <string>

#include "metadata/physical.h"

namespace kedge::metadata {

struct FieldSql {
  const Field* field = nullptr;  // null: the name is unknown (was reported)
  std::string sql;
};
using FieldLookup = std::function<FieldSql(const std::string&)>;

// "eq" => "=", ..., "like" => "LIKE".
std::string sql_operator(const std::string& op);
std::string filter_sql(const Filter& filter, const FieldLookup& lookup, const Writer& writer);
std::string expression_sql(const Expression& expression, const FieldLookup& lookup,
                           const Writer& writer);

}  // namespace kedge::metadata
