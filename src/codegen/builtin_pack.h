// The files of the built-in packs, put into the binary when it is built.
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace kedge::codegen {

std::span<const base::EmbeddedFile> embedded_pack_files();  // by path

}  // namespace kedge::codegen
