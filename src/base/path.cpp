#include <algorithm>
#include <set>

#include "base/listing.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::base {

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || (!name.empty() && name.front() == '/')) {
    return std::string(name);
  }
  if (name.empty()) {
    return std::string(folder);
  }
  std::string path(folder);
  if (path.back() != '/') {
    path += '/';
  }
  return path.append(name);
}

std::string parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return "";
  }
  return std::string(slash == 0 ? path.substr(0, 1) : path.substr(0, slash));
}

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string extension(std::string_view path) {
  const std::string name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : to_lower(name.substr(dot + 1));
}

std::string stem(std::string_view path) {
  const std::string name = file_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

namespace {

void collect_files(const FileSystem& files, const std::string& folder, std::set<std::string>& seen,
                   std::vector<std::string>& found) {
  if (!seen.insert(files.real_path(folder)).second) {
    return;
  }
  for (const FolderEntry& entry : files.list(folder)) {
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == EntryKind::Folder) {
      collect_files(files, path, seen, found);
    } else if (entry.kind == EntryKind::File) {
      found.push_back(path);
    }
  }
}

}  // namespace

bool is_declaration(const FolderEntry& entry) {
  return entry.kind == EntryKind::File ||
         (entry.kind == EntryKind::Other && !entry.name.starts_with('.'));
}

std::string read_listed(const FileSystem& files, const std::string& path) {
  std::optional<std::string> bytes = files.read(path);
  if (!bytes) {
    throw Error(codes::ERR_IO, "cannot read '" + path + "': it is not there",
                "a link that leads nowhere? remove it, or bring back what it points to");
  }
  return *std::move(bytes);
}

std::vector<std::string> list_files(const FileSystem& files, const std::string& folder) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  if (files.kind(folder) == EntryKind::Folder) {
    collect_files(files, folder, seen, found);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace kedge::base
