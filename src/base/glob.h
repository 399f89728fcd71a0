// Patterns for the names of files.
#pragma once

#include <string_view>

namespace kedge::base {

// As shells have it: '*', '?' (one character), "[a-c]" and "[!a-c]". A '[' without its ']' stands
// for itself.
bool matches_file_glob(std::string_view pattern, std::string_view text);

}  // namespace kedge::base
