#include "db/duckdb/json_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace kedge::db::duckdb {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A number, true, false or null; nothing else stands on its own.
bool is_word(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") {
    return true;
  }
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    return at > begin;
  };
  const auto skip = [&](std::string_view any) {
    const bool there = at < text.size() && any.find(text[at]) != std::string_view::npos;
    at += there ? 1 : 0;
    return there;
  };
  skip("-");
  if (!digits() || (skip(".") && !digits())) {
    return false;
  }
  if (skip("eE")) {
    skip("+-");
    if (!digits()) {
      return false;
    }
  }
  return at == text.size();
}

// Reads along a text. What is no JSON gives an empty token or stops at the end of the text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip_blanks(); }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (peek() != c || at_end()) {
      return false;
    }
    ++at_;
    skip_blanks();
    return true;
  }

  // A string with its quotes, an object or list up to its end, or a word.
  std::string_view value() {
    const std::size_t begin = at_;
    if (peek() == '"') {
      skip_string();
    } else if (peek() == '{' || peek() == '[') {
      skip_nested();
    } else {
      while (!at_end() && !is_blank(peek()) &&
             std::string_view(",]}:").find(peek()) == std::string_view::npos) {
        ++at_;
      }
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    skip_blanks();
    return token;
  }

 private:
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) {
      ++at_;
    }
  }
  void skip_string() {
    ++at_;
    while (!at_end() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    at_ += at_end() ? 0 : 1;
  }
  void skip_nested() {
    std::size_t depth = 0;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      ++at_;
      depth += c == '{' || c == '[' ? 1 : 0;
      if ((c == '}' || c == ']') && --depth == 0) {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<unsigned> hex_at(std::string_view text, std::size_t at) {
  unsigned value = 0;
  if (at + 4 > text.size()) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return error == std::errc() && end == text.data() + at + 4 ? std::optional(value) : std::nullopt;
}

// The code point behind \u, of one escape or of a pair; moves behind it.
std::optional<char32_t> escaped_point(std::string_view text, std::size_t& at) {
  const std::optional<unsigned> first = hex_at(text, at);
  at += 4;
  if (!first || *first < 0xD800 || *first > 0xDFFF) {
    return first ? std::optional<char32_t>(*first) : std::nullopt;
  }
  const std::optional<unsigned> second =
      text.substr(std::min(at, text.size()), 2) == "\\u" ? hex_at(text, at + 2) : std::nullopt;
  if (*first > 0xDBFF || !second || *second < 0xDC00 || *second > 0xDFFF) {
    return std::nullopt;
  }
  at += 6;
  return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

void append_utf8(std::string& out, char32_t point) {
  const auto rest = [&](int shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6));
    rest(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12));
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

// What a string with its quotes says.
std::optional<std::string> spoken(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') {
    return std::nullopt;
  }
  const std::string_view text = token.substr(1, token.size() - 2);
  if (text.find('\\') == std::string_view::npos) {
    return std::string(text);
  }
  static constexpr std::string_view kShort = "\"\\/bfnrt";
  static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out += text[at++];
      continue;
    }
    const char c = at + 1 < text.size() ? text[at + 1] : '\0';
    at += 2;
    if (c == 'u') {
      const std::optional<char32_t> point = escaped_point(text, at);
      if (!point) {
        return std::nullopt;
      }
      append_utf8(out, *point);
    } else if (const std::size_t known = kShort.find(c); known != std::string_view::npos) {
      out += kMeant[known];
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string without_blanks(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  bool quoted = false;
  for (std::size_t at = 0; at < token.size(); ++at) {
    const char c = token[at];
    if (quoted && c == '\\' && at + 1 < token.size()) {
      out += c;
      out += token[++at];
      continue;
    }
    quoted = quoted != (c == '"');
    if (quoted || !is_blank(c)) {
      out += c;
    }
  }
  return out;
}

bool means(std::string_view key, std::string_view name) {
  return key.find('\\') == std::string_view::npos ? key.substr(1, key.size() - 2) == name
                                                  : spoken(key) == name;
}

// Hands over the tokens of each member until `see` wants no more; false for what is no object.
template <class See>
bool each_member(std::string_view json, const See& see) {
  Cursor cursor(json);
  if (!cursor.take('{')) {
    return false;
  }
  for (bool first = true; first ? cursor.peek() != '}' : cursor.take(','); first = false) {
    const std::string_view key = cursor.value();
    if (key.size() < 2 || key.front() != '"' || key.back() != '"' || !cursor.take(':')) {
      return false;
    }
    if (!see(key, cursor.value())) {
      return true;
    }
  }
  return cursor.take('}') && cursor.at_end();
}

// The token of a member, by the name as it is meant.
std::string_view find_member(std::string_view json, std::string_view name) {
  std::string_view token;
  each_member(json, [&](std::string_view key, std::string_view value) {
    token = means(key, name) ? value : token;
    return token.empty();
  });
  return token;
}

class NestedWriter {
 public:
  NestedWriter(std::string_view json, std::string_view shape) : cursor_(json), shape_(shape) {}

  std::optional<std::string> run() {
    if (cursor_.at_end() || !value() || !cursor_.at_end()) {
      return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  // Writes the next value by the next shape, and moves behind both.
  bool value() {
    const char shape = next_shape();
    if (shape == 't' || shape == 'j') {
      return leaf(shape == 'j');
    }
    if (cursor_.peek() == 'n') {
      skip_shape(shape);
      out_ += "NULL";
      return cursor_.value() == "null";
    }
    switch (shape) {
      case 'l':
        return list();
      case 'm':
        return map();
      case 's':
        return structure();
      default:
        return false;
    }
  }

  char next_shape() { return at_ < shape_.size() ? shape_[at_++] : '\0'; }

  // Moves behind what belongs to a shape whose letter has been read.
  void skip_shape(char shape) {
    if (shape == 'l' || shape == 'm') {
      skip_shape(next_shape());
    } else if (shape == 's') {
      while (field_name()) {
        skip_shape(next_shape());
      }
    }
  }

  std::optional<std::string_view> field_name() {
    if (at_ >= shape_.size() || shape_[at_] == ';') {
      at_ += at_ < shape_.size() ? 1 : 0;
      return std::nullopt;
    }
    std::size_t length = 0;
    while (at_ < shape_.size() && is_digit(shape_[at_])) {
      length = length * 10 + static_cast<std::size_t>(shape_[at_++] - '0');
    }
    const std::string_view name = shape_.substr(std::min(at_ + 1, shape_.size()), length);
    at_ = std::min(at_ + 1 + length, shape_.size());
    return name;
  }

  bool leaf(bool json) {
    const std::string_view token = cursor_.value();
    if (token == "null") {
      out_ += "NULL";
    } else if (!json && token.starts_with('"')) {
      const std::optional<std::string> text = spoken(token);
      if (!text) {
        return false;
      }
      quote(*text);
    } else if (token.starts_with('{') || token.starts_with('[') || token.starts_with('"')) {
      quote(without_blanks(token));
    } else {
      quote(token);
      return is_word(token);
    }
    return true;
  }

  void quote(std::string_view text) {
    out_ += '\'';
    for (const char c : text) {
      if (c == '\'' || c == '\\') {
        out_ += '\\';
      }
      out_ += c;
    }
    out_ += '\'';
  }

  bool list() {
    const std::size_t element = at_;
    skip_shape(next_shape());
    const std::size_t behind = at_;
    if (!cursor_.take('[')) {
      return false;
    }
    out_ += '[';
    for (bool first = true; first ? cursor_.peek() != ']' : cursor_.take(','); first = false) {
      out_ += first ? "" : ", ";
      at_ = element;
      if (!value()) {
        return false;
      }
    }
    at_ = behind;
    out_ += ']';
    return cursor_.take(']');
  }

  bool map() {
    const std::size_t element = at_;
    skip_shape(next_shape());
    const std::size_t behind = at_;
    if (!cursor_.take('{')) {
      return false;
    }
    out_ += '{';
    for (bool first = true; first ? cursor_.peek() != '}' : cursor_.take(','); first = false) {
      out_ += first ? "" : ", ";
      const std::optional<std::string> key = spoken(cursor_.value());
      if (!key || !cursor_.take(':')) {
        return false;
      }
      quote(*key);
      out_ += '=';
      at_ = element;
      if (!value()) {
        return false;
      }
    }
    at_ = behind;
    out_ += '}';
    return cursor_.take('}');
  }

  bool structure() {
    std::vector<std::pair<std::string_view, std::string_view>> members;
    const bool object =
        each_member(cursor_.value(), [&](std::string_view key, std::string_view value) {
          members.emplace_back(key, value);
          return true;
        });
    if (!object) {
      return false;
    }
    out_ += '{';
    for (bool first = true; const std::optional<std::string_view> name = field_name();
         first = false) {
      const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) {
        return means(member.first, *name);
      });
      out_ += first ? "" : ", ";
      quote(*name);
      out_ += ": ";
      if (!field(found == members.end() ? "null" : found->second)) {
        return false;
      }
    }
    out_ += '}';
    return true;
  }

  // A value of its own by the next shape.
  bool field(std::string_view token) {
    NestedWriter writer(token, shape_);
    writer.at_ = at_;
    const std::optional<std::string> text = writer.run();
    at_ = writer.at_;
    out_ += text.value_or("");
    return text.has_value();
  }

  Cursor cursor_;
  std::string_view shape_;
  std::size_t at_ = 0;  // in the shape
  std::string out_;
};

}  // namespace

std::optional<std::string> member_value(std::string_view json, std::string_view name) {
  const std::string_view token = find_member(json, name);
  if (token.empty() || token == "null") {
    return std::nullopt;
  }
  return without_blanks(token);
}

std::optional<std::string> member_text(std::string_view json, std::string_view name) {
  const std::string_view token = find_member(json, name);
  if (token.starts_with('"')) {
    return spoken(token);
  }
  return token.empty() || token == "null" ? std::nullopt : std::optional(without_blanks(token));
}

std::optional<std::string> nested_text(std::string_view json, std::string_view shape) {
  return NestedWriter(json, shape).run();
}

bool has_more_places(std::string_view number, int places) {
  std::int64_t fraction = 0;  // up to the last digit that is not 0
  std::int64_t zeros = 0;     // at the end of the whole part
  std::int64_t seen = 0;      // digits behind the point
  bool point = false;
  bool any = false;
  std::size_t at = 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    const char c = number[at];
    point = point || c == '.';
    if (!is_digit(c)) {
      continue;
    }
    seen += point ? 1 : 0;
    any = any || c != '0';
    if (c != '0') {
      fraction = seen;
      zeros = 0;
    } else if (!point) {
      ++zeros;
    }
  }
  std::int64_t exponent = 0;
  if (at < number.size()) {
    constexpr std::int64_t kFar = 1'000'000;
    const bool plus = at + 1 < number.size() && number[at + 1] == '+';
    const bool minus = at + 1 < number.size() && number[at + 1] == '-';
    const auto [end, error] = std::from_chars(number.data() + at + (plus ? 2 : 1),
                                              number.data() + number.size(), exponent);
    exponent = error == std::errc::result_out_of_range ? (minus ? -kFar : kFar)
                                                       : std::clamp(exponent, -kFar, kFar);
  }
  return any && (fraction > 0 ? fraction : -zeros) - exponent > places;
}

}  // namespace kedge::db::duckdb
