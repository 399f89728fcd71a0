#include "db/odbc/text.h"

namespace kedge::db::odbc {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void add_utf8(std::string& out, std::uint32_t point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Reads one code point and moves `at` behind it.
std::uint32_t take_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
  const unsigned char first = byte(at++);
  const int more = first < 0x80    ? 0
                   : first >= 0xF0 ? 3
                   : first >= 0xE0 ? 2
                   : first >= 0xC2 ? 1
                                   : -1;
  if (more <= 0) {
    return more == 0 ? first : kReplacement;
  }
  std::uint32_t point = first & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0U) != 0x80U) {
      return kReplacement;
    }
    point = (point << 6U) | (byte(at++) & 0x3FU);
  }
  return point > 0x10FFFF ? kReplacement : point;
}

}  // namespace

Wide to_wide(std::string_view text) {
  Wide result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::uint32_t point = take_point(text, at);
    if (point >= 0x10000) {
      result += static_cast<SQLWCHAR>(0xD800U + ((point - 0x10000U) >> 10U));
      result += static_cast<SQLWCHAR>(0xDC00U + ((point - 0x10000U) & 0x3FFU));
    } else {
      result += static_cast<SQLWCHAR>(point);
    }
  }
  return result;
}

std::string to_utf8(const SQLWCHAR* text, std::size_t size) {
  std::string result;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t point = text[i];
    const bool high = point >= 0xD800 && point < 0xDC00;
    if (high && i + 1 < size && text[i + 1] >= 0xDC00 && text[i + 1] < 0xE000) {
      point = 0x10000U + ((point - 0xD800U) << 10U) + (text[++i] - 0xDC00U);
    } else if (point >= 0xD800 && point < 0xE000) {
      point = kReplacement;
    }
    add_utf8(result, point);
  }
  return result;
}

}  // namespace kedge::db::odbc
