// How a text becomes a comment of SQL: for the files of a migration and for every other script.
#pragma once

#include <string>
#include <string_view>

namespace kedge::migrate {

// Lines that begin with "-- ", whatever ends a line in the text. Names of a database are anybody's:
// none may leave the comment, nor look like a directive of a migration file.
std::string comment_lines(std::string_view text);

}  // namespace kedge::migrate
