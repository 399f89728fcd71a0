// UTF-8 to the UTF-16 of ODBC's wide functions and back. Invalid input becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "db/odbc/api.h"

namespace kedge::db::odbc {

using Wide = std::basic_string<SQLWCHAR>;
Wide to_wide(std::string_view text);
std::string to_utf8(const SQLWCHAR* text, std::size_t size);

}  // namespace kedge::db::odbc
