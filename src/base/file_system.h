// Files as an interface, so that tests use an in-memory double. Paths are UTF-8 with '/'.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"

namespace kedge::base {

enum class EntryKind { File, Folder, Other };

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::File;  // symbolic links are followed
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // nullopt when there is no such file; throws ERR_IO when it cannot be read.
  virtual std::optional<std::string> read(const std::string& path) const = 0;
  // Writes aside in the same folder, flushes, renames over, flushes the folder: a reader or a crash
  // sees the old bytes or the new ones. Missing parent folders are made.
  virtual void write(const std::string& path, std::string_view bytes) = 0;
  virtual void remove(const std::string& path) = 0;  // no error when it is not there
  virtual std::optional<EntryKind> kind(const std::string& path) const = 0;
  // Sorted by name (byte order). Empty when the folder does not exist.
  virtual std::vector<FolderEntry> list(const std::string& folder) const = 0;
  virtual void make_folder(const std::string& path) = 0;  // with its parents
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual std::string real_path(const std::string& path) const = 0;  // links resolved
};

std::unique_ptr<FileSystem> make_file_system();         // the real one
std::unique_ptr<FileSystem> make_memory_file_system();  // for tests

// "a" + "b/c" = "a/b/c"; an absolute second part wins.
std::string join_path(std::string_view folder, std::string_view name);
std::string parent_path(std::string_view path);
std::string file_name(std::string_view path);
std::string extension(std::string_view path);  // lower case, without the dot
std::string stem(std::string_view path);       // the file name without its extension

// All files below a folder, as paths that start with it, sorted by byte order; real folders are
// entered once, so links cannot loop.
std::vector<std::string> list_files(const FileSystem& files, const std::string& folder);

// A private folder (0700) below the system's temporary folder, removed with its content at the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix = "kedge");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// An advisory lock on a file (made when absent), held until destruction. After waiting `seconds`
// it throws Error with the code given.
class FileLock {
 public:
  FileLock(const std::string& path, double seconds, Code busy);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace kedge::base
