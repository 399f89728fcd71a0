// A file that was put into the program when it was built, by cmake/embed_files.cmake.
#pragma once

#include <string_view>

namespace kedge::base {

struct EmbeddedFile {
  std::string_view path;  // below its folder
  std::string_view text;
};

}  // namespace kedge::base
