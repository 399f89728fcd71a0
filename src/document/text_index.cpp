#include "document/text_index.h"

#include <algorithm>

namespace kedge::document {
namespace {

constexpr std::size_t kBlock = 256;

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

TextIndex::TextIndex(std::string_view text) : text_(text) {
  start_ = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  line_starts_.push_back(start_);
  std::size_t code_points = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at % kBlock == 0) {
      blocks_.push_back(code_points);
    }
    const char c = text[at];
    code_points += starts_code_point(c) ? 1 : 0;
    ascii_ = ascii_ && static_cast<unsigned char>(c) < 0x80;
    if (c == '\n' || (c == '\r' && (at + 1 == text.size() || text[at + 1] != '\n'))) {
      line_starts_.push_back(at + 1);
    }
  }
  blocks_.push_back(code_points);
}

std::size_t TextIndex::code_point_of_byte(std::size_t byte) const {
  if (ascii_) {
    return byte;
  }
  std::size_t count = blocks_[byte / kBlock];
  for (std::size_t at = byte - byte % kBlock; at < byte; ++at) {
    count += starts_code_point(text_[at]) ? 1 : 0;
  }
  return count;
}

std::size_t TextIndex::byte_of_code_point(std::size_t code_point) const {
  if (ascii_) {
    return std::min(code_point, text_.size());
  }
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), code_point);
  const auto block = static_cast<std::size_t>(after - blocks_.begin()) - 1;
  std::size_t at = std::min(block * kBlock, text_.size());
  std::size_t count = blocks_[block];
  while (at < text_.size() && (count < code_point || !starts_code_point(text_[at]))) {
    count += starts_code_point(text_[at]) ? 1 : 0;
    ++at;
  }
  // `at` may stand inside the last code point counted.
  while (at < text_.size() && !starts_code_point(text_[at])) {
    ++at;
  }
  return at;
}

Range TextIndex::range(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  const auto line =
      std::max<std::size_t>(static_cast<std::size_t>(after - line_starts_.begin()), 1);
  const std::size_t line_start = std::min(line_starts_[line - 1], begin);
  return {begin, end, line, code_point_of_byte(begin) - code_point_of_byte(line_start) + 1};
}

}  // namespace kedge::document
