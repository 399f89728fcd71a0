// Files that a folder's listing names and that declare something. What only looks like a file is
// refused, never passed over: a declaration that vanishes would look like one that was taken back.
#pragma once

#include <string>

#include "base/file_system.h"

namespace kedge::base {

// Files, and what stands in the place of one (a pipe, a link that leads nowhere); of the latter no
// hidden names: editors leave such links.
bool is_declaration(const FolderEntry& entry);
// The bytes of a listed file; throws ERR_IO also when it is not there.
std::string read_listed(const FileSystem& files, const std::string& path);

}  // namespace kedge::base
