// Texts of D1: literals in place of parameters, values out of quote(), reads told from writes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"

namespace kedge::db::d1 {

// Puts literals in the places of `?`. Throws ERR_INTERNAL when there are more or fewer.
std::string with_literals(std::string_view sql, std::span<const Value> parameters);
std::string literal(const Value& value);
// What sqlite's quote() gave, as the value it was: NULL, 1, 1.5, 'it''s', X'00ff'.
Value unquoted(std::string_view text);
// May it run on a read-only connection? Reads only: SELECT, VALUES, EXPLAIN, WITH, PRAGMA x(y).
bool is_read(std::string_view sql);

}  // namespace kedge::db::d1
