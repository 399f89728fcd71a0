// Values as YAML text: block style for containers, plain scalars where the core schema reads the
// same string back.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "document/edit_plan.h"
#include "document/reader.h"

namespace kedge::document {
namespace {

bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    const auto after = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0U;
    const bool control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next < 0xA0);
    const bool separator = byte == 0xE2 && next == 0x80 && (after == 0xA8 || after == 0xA9);
    const bool mark =
        byte == 0xEF && ((next == 0xBB && after == 0xBF) || (next == 0xBF && after >= 0xBE));
    if (control || separator || mark) {
      return false;
    }
  }
  return true;
}

// Readers of YAML 1.1 take such a text for a date, a number (017, 1_000, 12:30:45) or a boolean.
bool means_more_in_yaml_11(std::string_view text) {
  if (text.size() >= 8 && text.find_first_not_of("0123456789") == 4 && text[4] == '-') {
    return true;
  }
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  const bool sign = text[0] == '+' || text[0] == '-' || text[0] == '.';
  if (is_digit(0) || (sign && is_digit(1))) {
    return text.find_first_not_of("0123456789_.:+-eExXobABCDEFabcdef") == std::string_view::npos;
  }
  static constexpr std::array<std::string_view, 7> kWords = {"yes",  "no",    "on",  "off",
                                                             "true", "false", "null"};
  const std::string lower = base::to_lower(text);
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool is_plain_safe(std::string_view text, Place place) {
  static constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`=<";
  if (kind_of_plain(text) != Kind::String || means_more_in_yaml_11(text) || !is_printable(text) ||
      text.front() == ' ' || text.back() == ' ' || text.back() == ':' || text.starts_with("---") ||
      text.starts_with("...")) {
    return false;
  }
  const bool word = (text[0] == '-' || text[0] == '?' || text[0] == ':') && text.size() > 1 &&
                    text[1] != ' ' && place == Place::Block;
  if (kIndicators.find(text[0]) != std::string_view::npos && !word) {
    return false;
  }
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return false;
  }
  return place == Place::Block || text.find_first_of(",[]{}:") == std::string_view::npos;
}

// JSON escapes are YAML escapes; what YAML may not hold as it stands is escaped in addition.
std::string double_quoted(std::string_view text) {
  std::string json = write_json(Json(text), -1);
  std::string result;
  for (std::size_t at = 0; at < json.size();) {
    const auto byte = static_cast<unsigned char>(json[at]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    const std::string_view character = std::string_view(json).substr(at, length);
    if (is_printable(character)) {
      result += character;
    } else {
      static constexpr std::string_view kHex = "0123456789abcdef";
      unsigned code_point = byte < 0x80 ? byte : byte < 0xE0 ? byte & 31U : byte & 15U;
      for (std::size_t i = 1; i < character.size(); ++i) {
        code_point = (code_point << 6U) | (static_cast<unsigned char>(character[i]) & 63U);
      }
      result += "\\u";
      for (unsigned shift = 16; shift > 0; shift -= 4) {
        result += kHex[(code_point >> (shift - 4)) & 15U];
      }
    }
    at += length;
  }
  return result;
}

bool is_literal_safe(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n' ||
      text.ends_with("\n\n")) {
    return false;
  }
  for (const std::string& line : base::split(text, '\n')) {
    if (!is_printable(line) || line.ends_with(' ')) {
      return false;
    }
  }
  return true;
}

std::string literal(std::string_view text, std::size_t indent, std::string_view eol) {
  const bool ends = text.ends_with('\n');
  std::string result = ends ? "|" : "|-";
  for (const std::string& line : base::split(ends ? text.substr(0, text.size() - 1) : text, '\n')) {
    result += eol;
    result += line.empty() ? "" : std::string(indent, ' ') + line;
  }
  return result;
}

std::string write_mapping(const Json::Object& members, std::size_t indent, std::string_view eol) {
  std::string result;
  for (const auto& [key, value] : members) {
    if (!result.empty()) {
      result += std::string(eol) + std::string(indent, ' ');
    }
    result += write_scalar(key, Place::Block, Style::Plain) + ":";
    if (is_container_with_items(value)) {
      result +=
          std::string(eol) + std::string(indent + 2, ' ') + write_block(value, indent + 2, eol);
    } else {
      result += " " + write_block(value, indent + 2, eol);
    }
  }
  return result;
}

std::string write_sequence(const Json::Array& items, std::size_t indent, std::string_view eol) {
  std::string result;
  for (const Json& item : items) {
    if (!result.empty()) {
      result += std::string(eol) + std::string(indent, ' ');
    }
    result += "- " + write_block(item, indent + 2, eol);
  }
  return result;
}

}  // namespace

std::string write_scalar(std::string_view text, Place place, Style wanted) {
  if (wanted == Style::SingleQuoted && is_printable(text)) {
    return "'" + base::replace_all(std::string(text), "'", "''") + "'";
  }
  if (wanted != Style::DoubleQuoted && !text.empty() && is_plain_safe(text, place)) {
    return std::string(text);
  }
  return double_quoted(text);
}

bool is_container_with_items(const Json& value) {
  const Json::Array* items = value.as_array();
  const Json::Object* members = value.as_object();
  return (items != nullptr && !items->empty()) || (members != nullptr && !members->empty());
}

std::string write_inline(const Json& value, Format format, Place place) {
  if (format == Format::Json) {
    return base::replace_all(write_json(value, 0), "\n", "");
  }
  std::string result;
  if (const std::string* text = value.as_string()) {
    return write_scalar(*text, place, Style::Plain);
  }
  if (const Json::Array* items = value.as_array()) {
    for (const Json& item : *items) {
      result += (result.empty() ? "" : ", ") + write_inline(item, format, Place::Flow);
    }
    return "[" + result + "]";
  }
  if (const Json::Object* members = value.as_object()) {
    for (const auto& [key, member] : *members) {
      result += (result.empty() ? "" : ", ") + write_scalar(key, Place::Flow, Style::Plain) + ": " +
                write_inline(member, format, Place::Flow);
    }
    return "{" + result + "}";
  }
  // 1e-09 is a text for readers of YAML 1.1.
  std::string number = write_json(value, -1);
  const std::size_t exponent = number.find('e');
  const bool real = exponent != std::string::npos && number[0] != 't' && number[0] != 'f' &&
                    number.find('.') == std::string::npos;
  return real ? number.insert(exponent, ".0") : number;
}

std::string write_block(const Json& value, std::size_t indent, std::string_view eol) {
  if (const std::string* text = value.as_string(); text != nullptr && is_literal_safe(*text)) {
    return literal(*text, indent, eol);
  }
  if (is_container_with_items(value)) {
    return value.as_array() != nullptr ? write_sequence(*value.as_array(), indent, eol)
                                       : write_mapping(*value.as_object(), indent, eol);
  }
  return write_inline(value, Format::Yaml, Place::Block);
}

std::string write_yaml(const Json& value, std::size_t indent) {
  return std::string(indent, ' ') + write_block(value, indent, "\n") + "\n";
}

}  // namespace kedge::document
