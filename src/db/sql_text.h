// What has to be known about a SQL text without understanding it: where quotes and comments are.
// Analysing SQL is sql/analysis.h's work; connectors only need these to keep a read a read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kedge::db {

// Calls visit(place) for each byte that is outside of quotes ('' "" `` []) and comments.
void each_plain_byte(std::string_view sql, const std::function<void(std::size_t)>& visit);
bool is_single_statement(std::string_view sql);       // only blanks and comments after a ';'
std::string without_semicolon(std::string_view sql);  // trailing blanks and ';' taken off

}  // namespace kedge::db
