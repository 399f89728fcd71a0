// What has to be known about a SQL text without understanding it: where quotes and comments are.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"

namespace kedge::db::d1 {

// Calls visit(place) for each byte that is outside of quotes and comments.
void each_plain_byte(std::string_view sql, const std::function<void(std::size_t)>& visit);
bool is_single(std::string_view sql);           // nothing but blanks and comments after a ';'
std::string without_end(std::string_view sql);  // trailing blanks and ';' taken off
// Puts literals in the places of `?`. Throws ERR_INTERNAL when there are more or fewer.
std::string with_literals(std::string_view sql, std::span<const Value> parameters);
std::string literal(const Value& value);
// What sqlite's quote() gave, as the value it was: NULL, 1, 1.5, 'it''s', X'00ff'.
Value unquoted(std::string_view text);
// May it run on a read-only connection? Reads only: SELECT, VALUES, EXPLAIN, WITH, PRAGMA x(y).
bool is_read(std::string_view sql);

}  // namespace kedge::db::d1
