// What a plain scalar means, and scalars as C++ values.
#include <charconv>
#include <cmath>
#include <limits>

#include "document/json.h"
#include "document/reader.h"

namespace kedge::document {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  return text;
}

bool is_radix_integer(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'o')) {
    return false;
  }
  const std::string_view digits = text.substr(2);
  return digits.find_first_not_of(text[1] == 'x' ? "0123456789abcdefABCDEF" : "01234567") ==
         std::string_view::npos;
}

bool is_float(std::string_view text) {
  text = without_sign(text);
  if (text == ".inf" || text == ".Inf" || text == ".INF") {
    return true;
  }
  const std::size_t whole = skip_digits(text, 0);
  std::size_t at = whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    fraction = end - at - 1;
    at = end;
  }
  if (whole + fraction == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    at += at < text.size() && (text[at] == '-' || text[at] == '+') ? 1 : 0;
    const std::size_t end = skip_digits(text, at);
    if (end == at) {
      return false;
    }
    at = end;
  }
  return at == text.size();
}

}  // namespace

Kind kind_of_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return Kind::Null;
  }
  if (text == "true" || text == "false") {
    return Kind::Boolean;
  }
  const std::string_view digits = without_sign(text);
  if ((!digits.empty() && skip_digits(digits, 0) == digits.size()) || is_radix_integer(text)) {
    return Kind::Integer;
  }
  const bool not_a_number = text == ".nan" || text == ".NaN" || text == ".NAN";
  return not_a_number || is_float(text) ? Kind::Float : Kind::String;
}

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key.text == key) {
      return &entry;
    }
  }
  return base != nullptr ? base->find_entry(key) : nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry != nullptr ? &entry->value : nullptr;
}

std::string Node::string_at(std::string_view key) const {
  const Node* value = find(key);
  return value != nullptr && value->is_string() ? value->text : "";
}

std::string Node::scalar_at(std::string_view key) const {
  const Node* value = find(key);
  return value != nullptr && value->is_scalar() ? value->text : "";
}

std::optional<bool> Node::as_boolean() const {
  return kind == Kind::Boolean ? std::optional(text == "true") : std::nullopt;
}

std::optional<std::int64_t> Node::as_integer() const {
  if (kind != Kind::Integer) {
    return std::nullopt;
  }
  std::string_view digits = text;
  int radix = 10;
  if (is_radix_integer(digits)) {
    radix = digits[1] == 'x' ? 16 : 8;
    digits.remove_prefix(2);
  } else if (digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, radix);
  const bool whole = result.ec == std::errc{} && result.ptr == digits.data() + digits.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<double> Node::as_number() const {
  if (const std::optional<std::int64_t> integer = as_integer()) {
    return static_cast<double>(*integer);
  }
  if (kind != Kind::Integer && kind != Kind::Float) {
    return std::nullopt;
  }
  const std::string_view unsigned_text = without_sign(text);
  if (unsigned_text.size() == 4 && unsigned_text[0] == '.' &&
      (unsigned_text[1] == 'n' || unsigned_text[1] == 'N')) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double value = std::numeric_limits<double>::infinity();
  if (unsigned_text[0] != '.' || unsigned_text.size() < 2 || is_digit(unsigned_text[1])) {
    const auto result =
        std::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), value);
    const bool tiny = unsigned_text.find('-') != std::string_view::npos ||
                      unsigned_text[0] == '0' || unsigned_text[0] == '.';
    if (result.ec == std::errc::result_out_of_range && tiny) {
      value = 0;
    }
  }
  return text.starts_with('-') ? -value : value;
}

Json to_json(const Node& node) {
  switch (node.kind) {
    case Kind::Null:
      return {};
    case Kind::Boolean:
      return Json(node.text == "true");
    case Kind::Integer:
      if (const std::optional<std::int64_t> integer = node.as_integer()) {
        return Json(*integer);
      }
      return Json(node.as_number().value_or(0));
    case Kind::Float:
      return Json(node.as_number().value_or(0));
    case Kind::String:
      return Json(node.text);
    case Kind::Sequence: {
      Json::Array items;
      for (const Node& item : node.items) {
        items.push_back(to_json(item));
      }
      return Json(std::move(items));
    }
    case Kind::Mapping: {
      Json::Object members;
      for (const Entry& entry : node.entries) {
        members.emplace_back(entry.key.text, to_json(entry.value));
      }
      return Json(std::move(members));
    }
  }
  return {};
}

}  // namespace kedge::document
