// Where a byte stands: line and code-point column of a byte offset, and the byte offset of a code
// point, both in bounded time also for a text that is one line of many megabytes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/node.h"

namespace kedge::document {

class TextIndex {
 public:
  explicit TextIndex(std::string_view text);  // the text must outlive the index; valid UTF-8
  Range range(std::size_t begin, std::size_t end) const;
  std::size_t byte_of_code_point(std::size_t code_point) const;
  std::size_t code_point_of_byte(std::size_t byte) const;

 private:
  std::string_view text_;
  bool ascii_ = true;
  std::size_t start_ = 0;                 // after the byte order mark
  std::vector<std::size_t> line_starts_;  // byte offsets
  std::vector<std::size_t> blocks_;       // code points before every 256th byte
};

}  // namespace kedge::document
