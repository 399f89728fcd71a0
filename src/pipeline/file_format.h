// The format of a file that is read or written (spec/contracts.md 3.4).
#pragma once

#include <string>
#include <string_view>

#include "project/connections.h"

namespace kedge::pipeline {

// "csv", "tsv", "json" or "parquet": as declared, else what the extension of the path says (a
// trailing .gz left out), else `fallback`.
std::string format_of(const project::FileFormat& file, std::string_view fallback);
bool is_compressed(std::string_view path);  // *.gz

}  // namespace kedge::pipeline
