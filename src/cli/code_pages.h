// The pages of docs/reference/codes as they were when the program was built: for `kedge explain`,
// which shows a code's example. Filled by cmake/embed_files.cmake.
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace kedge::cli {

std::span<const base::EmbeddedFile> embedded_code_pages();

}  // namespace kedge::cli
