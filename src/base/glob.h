// Patterns for names, of objects and of files.
#pragma once

#include <string_view>

namespace kedge::base {

// With '*' only (any run of characters, also none).
bool matches_glob(std::string_view pattern, std::string_view text);
// As shells have it: '*', '?' (one character), "[a-c]" and "[!a-c]". A '[' without its ']' stands
// for itself.
bool matches_file_glob(std::string_view pattern, std::string_view text);

}  // namespace kedge::base
