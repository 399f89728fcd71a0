#include <map>
#include <set>

#include "base/file_system.h"

namespace kedge::base {
namespace {

// Folders exist because files stand in them, or because they were made.
class MemoryFileSystem final : public FileSystem {
 public:
  std::optional<std::string> read(const std::string& path) const override {
    const auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }
  void write(const std::string& path, std::string_view bytes) override {
    files_[path] = std::string(bytes);
  }
  void remove(const std::string& path) override {
    files_.erase(path);
    folders_.erase(path);
    const std::string below = path + "/";
    std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(below); });
  }
  std::optional<EntryKind> kind(const std::string& path) const override {
    if (files_.contains(path)) {
      return EntryKind::File;
    }
    const std::string below = path + "/";
    const auto next = files_.lower_bound(below);
    const bool has_files = next != files_.end() && next->first.starts_with(below);
    return has_files || folders_.contains(path) ? std::optional(EntryKind::Folder) : std::nullopt;
  }
  std::vector<FolderEntry> list(const std::string& folder) const override {
    std::map<std::string, EntryKind> found;
    const std::string below = folder.empty() ? "" : folder + "/";
    const auto add = [&](const std::string& path, EntryKind kind) {
      if (path.size() <= below.size() || !path.starts_with(below)) {
        return;
      }
      const std::size_t slash = path.find('/', below.size());
      const bool nested = slash != std::string::npos;
      const std::string name = path.substr(below.size(), nested ? slash - below.size() : slash);
      found[name] = nested ? EntryKind::Folder : kind;
    };
    for (const auto& [path, bytes] : files_) {
      add(path, EntryKind::File);
    }
    for (const std::string& path : folders_) {
      add(path, EntryKind::Folder);
    }
    std::vector<FolderEntry> entries;
    for (const auto& [name, kind] : found) {
      entries.push_back({name, kind});
    }
    return entries;
  }
  void make_folder(const std::string& path) override { folders_.insert(path); }
  void rename(const std::string& from, const std::string& to) override {
    auto node = files_.extract(from);
    if (!node.empty()) {
      files_[to] = std::move(node.mapped());
    }
  }
  std::string real_path(const std::string& path) const override { return path; }

 private:
  std::map<std::string, std::string> files_;
  std::set<std::string> folders_;
};

}  // namespace

std::unique_ptr<FileSystem> make_memory_file_system() {
  return std::make_unique<MemoryFileSystem>();
}

}  // namespace kedge::base
