// The pages of docs/reference/codes as they were when the program was built: for `kedge explain`,
// which shows a code's example. Filled by cmake/embed_files.cmake.
#pragma once

#include <span>
#include <string_view>

namespace kedge::cli {

struct EmbeddedFile {
  std::string_view path;  // "PZ0331.md"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_code_pages();

}  // namespace kedge::cli
