// Where generated files may lie: inside the project, not behind a link that leaves it, and only
// where a regular file is or can be. Every writer of generated files asks before it writes.
#pragma once

#include <string>

#include "base/file_system.h"

namespace kedge::codegen {

class PathGuard {
 public:
  PathGuard(const base::FileSystem& files, std::string project_folder);
  // A path relative to the project; throws ERR_GEN_PATH_OUTSIDE or ERR_IO.
  void check(const std::string& path) const;

 private:
  void check_kind(const std::string& path) const;

  const base::FileSystem& files_;
  std::string folder_;
  std::string real_;
};

}  // namespace kedge::codegen
