#include "codegen/path_guard.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::codegen {

PathGuard::PathGuard(const base::FileSystem& files, std::string project_folder)
    : files_(files), folder_(std::move(project_folder)), real_(files.real_path(folder_)) {}

void PathGuard::check(const std::string& path) const {
  const std::vector<std::string> parts = base::split(path, '/');
  const bool leaves =
      path.starts_with('/') || std::find(parts.begin(), parts.end(), "..") != parts.end();
  // What is there already decides: the file itself may be a link too.
  std::string there = base::join_path(folder_, path);
  while (!files_.kind(there) && there.size() > folder_.size()) {
    there = base::parent_path(there);
  }
  const std::string real = leaves ? "" : files_.real_path(there);
  if (leaves || (real != real_ && !real.starts_with(real_ + "/"))) {
    throw Error(codes::ERR_GEN_PATH_OUTSIDE,
                "'" + path + "' lies outside the project" +
                    (leaves ? "" : ": a link on the way leads to '" + real + "'"));
  }
  check_kind(path);
}

void PathGuard::check_kind(const std::string& path) const {
  const std::string full = base::join_path(folder_, path);
  const std::optional<base::EntryKind> kind = files_.kind(full);
  if (kind && kind != base::EntryKind::File) {
    const char* what = kind == base::EntryKind::Folder ? "it is a folder" : "it is no regular file";
    throw Error(codes::ERR_IO, "'" + path + "' cannot be written: " + what);
  }
  std::string folder = base::parent_path(full);
  while (!files_.kind(folder) && folder.size() > folder_.size()) {
    folder = base::parent_path(folder);
  }
  if (files_.kind(folder) == base::EntryKind::File) {
    throw Error(codes::ERR_IO, "'" + path + "' cannot be written: a folder on the way is a file");
  }
}

}  // namespace kedge::codegen
