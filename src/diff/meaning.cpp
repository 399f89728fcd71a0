#include "diff/meaning.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/text.h"

namespace kedge::diff {
namespace {

using schema::Dialect;
using schema::Type;
using schema::TypeKind;

// A number as written: its digits, the place of its point among them, its sign.
struct Number {
  bool negative = false;
  std::string digits;
  long point = 0;
};

// "-1.50", "+7", "1.0e-5"; an exponent that no engine's number has is none.
std::optional<Number> number_of(std::string_view text) {
  Number number;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  long exponent = 0;
  if (const std::size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    std::string_view digits = text.substr(at + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || end != digits.data() + digits.size() || std::abs(exponent) > 400) {
      return std::nullopt;
    }
    text = text.substr(0, at);
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  number.digits = std::string(text.substr(0, dot));
  number.digits += dot < text.size() ? text.substr(dot + 1) : std::string_view();
  number.point = static_cast<long>(dot) + exponent;
  const bool good =
      !number.digits.empty() && std::all_of(number.digits.begin(), number.digits.end(),
                                            [](unsigned char c) { return std::isdigit(c) != 0; });
  return good ? std::optional(number) : std::nullopt;
}

bool is_number(std::string_view text) {
  return number_of(text).has_value();
}

// "+1.50" -> "1.5", "0.00" -> "0", "1e3" -> "1000": numbers compare by value.
std::string canonical_number(std::string_view text) {
  Number number = *number_of(text);
  std::string& digits = number.digits;
  if (number.point <= 0) {
    digits.insert(0, static_cast<std::size_t>(1 - number.point), '0');
    number.point = 1;
  }
  if (digits.size() < static_cast<std::size_t>(number.point)) {
    digits.resize(static_cast<std::size_t>(number.point), '0');
  }
  std::string whole = digits.substr(0, static_cast<std::size_t>(number.point));
  std::string fraction = digits.substr(static_cast<std::size_t>(number.point));
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  const std::string value = whole + (fraction.empty() ? "" : "." + fraction);
  return (number.negative && value != "0" ? "-" : "") + value;
}

bool is_boolean(const Type& type) {
  return type.kind == TypeKind::Boolean;
}
bool is_numeric(const Type& type) {
  return type.kind >= TypeKind::Int8 && type.kind <= TypeKind::Numeric;
}

// The content of a text that is one string literal and nothing else.
std::optional<std::string> literal_content(std::string_view text) {
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') {
    return std::nullopt;
  }
  std::string content;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\'') {
      if (text[i + 1] != '\'' || i + 2 >= text.size()) {
        return std::nullopt;
      }
      ++i;
    }
    content += text[i];
  }
  return content;
}

// "10:20:30.500" and "10:20:30.5" are one time.
std::string without_zero_fraction(std::string text) {
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text;
}

// "2027-01-02T03:04:05Z" and "2027-01-02 03:04:05+00" are one instant.
std::string canonical_instant(std::string text) {
  if (text.size() > 10 && (text[10] == 'T' || text[10] == 't')) {
    text[10] = ' ';
  }
  for (const std::string_view zone : {"Z", "+00:00", "+00"}) {
    if (text.size() > 19 && text.ends_with(zone)) {
      text.resize(text.size() - zone.size());
      break;
    }
  }
  return without_zero_fraction(std::move(text));
}

std::string canonical_literal(const std::string& content, const Type& type) {
  if (is_boolean(type)) {
    const std::string lower = base::to_lower(content);
    const bool yes = lower == "t" || lower == "true" || lower == "1" || lower == "yes";
    const bool no = lower == "f" || lower == "false" || lower == "0" || lower == "no";
    return yes ? "true" : no ? "false" : content;
  }
  if (is_numeric(type) && is_number(content)) {
    return canonical_number(content);
  }
  if (is_numeric(type) && (content == "true" || content == "false")) {
    return content == "true" ? "1" : "0";  // a boolean that became a number
  }
  if (type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz) {
    return "'" + canonical_instant(content) + "'";
  }
  if (type.kind == TypeKind::Time) {
    return "'" + without_zero_fraction(content) + "'";
  }
  return "'" + content + "'";
}

}  // namespace

std::string collapse(std::string_view sql) {
  std::string out;
  char quote = 0;
  for (const char c : sql) {
    if (quote != 0) {
      out += c;
      quote = c == quote ? char{0} : quote;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!out.empty() && out.back() != ' ') {
        out += ' ';
      }
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    }
    out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) {
    out.pop_back();
  }
  return out;
}

const std::string& Meaning::normal(std::string_view expression) {
  auto [found, fresh] = expressions_.try_emplace(std::string(expression));
  if (fresh) {
    found->second =
        options_.normal_expression ? options_.normal_expression(expression) : collapse(expression);
  }
  return found->second;
}

bool Meaning::same_expression(std::string_view a, std::string_view b) {
  return a == b || (!a.empty() && !b.empty() && normal(a) == normal(b));
}

bool Meaning::same_query(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const auto normal_of = [&](std::string_view text) -> const std::string& {
    auto [found, fresh] = queries_.try_emplace(std::string(text));
    if (fresh) {
      found->second = options_.normal_query ? options_.normal_query(text) : collapse(text);
    }
    return found->second;
  };
  const std::string first = normal_of(a);
  return first == normal_of(b);
}

bool Meaning::is_sqlite() const {
  return schema::is_sqlite(options_.dialect);
}

// A default reduced to what it means for a column of this type, so that 0.00 and 0, 't' and true
// and the literal of a declaration against the server's text are equal.
std::string Meaning::default_key(const schema::Default& value, const Type& type) {
  if (value.kind == schema::Default::Kind::Literal) {
    return canonical_literal(value.value, type);
  }
  std::string text = normal(value.value);
  if (const std::optional<std::string> content = literal_content(text)) {
    return canonical_literal(*content, type);
  }
  if (is_number(text)) {
    return is_boolean(type) || is_numeric(type) || !is_sqlite() ? canonical_literal(text, type)
                                                                : text;
  }
  const std::string lower = base::to_lower(text);
  if (lower == "true" || lower == "false") {
    return is_numeric(type) ? (lower == "true" ? "1" : "0") : lower;
  }
  if (options_.dialect == Dialect::Duckdb && lower.starts_with("nextval(")) {
    return lower;  // the literal in it is a name, which the engine folds
  }
  return lower == "null" ? std::string() : text;
}

bool Meaning::same_default(const std::optional<schema::Default>& actual,
                           const std::optional<schema::Default>& expected, const Type& type) {
  if (actual == expected) {
    return true;
  }
  const std::string a = actual ? default_key(*actual, type) : std::string();
  const std::string e = expected ? default_key(*expected, type) : std::string();
  return a == e;
}

bool Meaning::same_default(const schema::Column& actual, const schema::Column& expected) {
  return same_default(actual.default_value, expected.default_value, expected.type);
}

}  // namespace kedge::diff
