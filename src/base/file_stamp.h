// What a file of the real file system looks like from outside: to notice a change without reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kedge::base {

struct FileStamp {
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // set by the kernel alone: no tool can put it back
  std::uint64_t inode = 0;
  bool operator==(const FileStamp&) const = default;
};
// Nothing when there is no regular file (links are followed).
std::optional<FileStamp> stamp_of(const std::string& path);
// False for a file that its owner made read-only, also when the user could write it all the same.
bool is_writable(const std::string& path);

}  // namespace kedge::base
