#include "metadata/field_default.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "metadata/lower.h"

namespace kedge::metadata {
namespace {

using document::Kind;
using document::Node;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(number)
             : std::nullopt;
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// d = a digit, anything else stands for itself.
bool has_shape(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size() &&
         std::equal(shape.begin(), shape.end(), text.begin(),
                    [](char s, char c) { return s == 'd' ? is_digit(c) : s == c; });
}

int part(std::string_view text, std::size_t at) {
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool is_date(std::string_view text) {
  if (!has_shape(text, "dddd-dd-dd")) {
    return false;
  }
  static constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int month = part(text, 5);
  return month >= 1 && month <= 12 && part(text, 8) >= 1 && part(text, 8) <= kDays[month - 1];
}

bool is_fraction(std::string_view rest) {
  return rest.empty() || (rest.size() > 1 && rest.front() == '.' &&
                          std::all_of(rest.begin() + 1, rest.end(), is_digit));
}

bool is_clock(std::string_view text) {
  if (!has_shape(text, "dd:dd") || part(text, 0) > 23 || part(text, 3) > 59) {
    return false;
  }
  const std::string_view rest = text.substr(5);
  if (rest.empty()) {
    return true;
  }
  return has_shape(rest, ":dd") && part(rest, 1) <= 60 && is_fraction(rest.substr(3));
}

bool is_timestamp(std::string_view text) {
  if (text.size() == 10) {
    return is_date(text);
  }
  if (text.size() < 16 || !is_date(text.substr(0, 10)) || (text[10] != 'T' && text[10] != ' ')) {
    return false;
  }
  std::string_view clock = text.substr(11);
  if (clock.back() == 'Z') {
    clock.remove_suffix(1);
  } else if (const std::size_t zone = clock.find_first_of("+-"); zone != std::string_view::npos) {
    const std::string_view offset = clock.substr(zone + 1);
    if (!has_shape(offset, "dd") || offset.size() > 5) {
      return false;
    }
    clock = clock.substr(0, zone);
  }
  return is_clock(clock);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return false;
    }
  }
  return true;
}

bool is_text_like(FieldType type) {
  return type == FieldType::String || type == FieldType::Enum || type == FieldType::Uri;
}

// The shorthand for SQL that a string field does not have.
bool looks_like_sql(std::string_view text) {
  const std::string lower = base::to_lower(text);
  return lower == "current_timestamp" || lower == "current_date" || lower == "current_time" ||
         (text.find('(') != std::string_view::npos && text.find(')') != std::string_view::npos);
}

bool fits_decimal(const Field& field, std::string_view text) {
  if (!field.precision) {
    return true;
  }
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  if (text.find_first_of("eE") != std::string_view::npos) {
    return true;
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::int64_t whole =
      static_cast<std::int64_t>(dot - std::min(text.find_first_not_of('0'), dot));
  const std::int64_t fraction =
      dot >= text.size() ? 0 : static_cast<std::int64_t>(text.size() - dot - 1);
  const std::int64_t scale = field.scale.value_or(0);
  return whole <= *field.precision - scale && fraction <= scale;
}

std::string integer_problem(std::string_view text, bool narrow) {
  const auto number = integer_of(text);
  if (!number) {
    return "'" + std::string(text) + "' is no whole number";
  }
  if (narrow && (*number < std::numeric_limits<std::int32_t>::min() ||
                 *number > std::numeric_limits<std::int32_t>::max())) {
    return "'" + std::string(text) + "' does not fit 32 bits";
  }
  return {};
}

std::string unless(bool good, std::string_view text, std::string_view what) {
  return good ? std::string() : "'" + std::string(text) + "' is no " + std::string(what);
}

bool yaml_kind_matches(const Field& field, const Node& node) {
  switch (field.type) {
    case FieldType::Boolean:
      return node.kind == Kind::Boolean;
    case FieldType::Int:
    case FieldType::Long:
    case FieldType::Currency:
      return node.kind == Kind::Integer;
    case FieldType::Float:
    case FieldType::Double:
      return node.kind == Kind::Integer || node.kind == Kind::Float;
    case FieldType::Decimal:
      return node.kind == Kind::Integer || node.kind == Kind::Float || node.is_string();
    case FieldType::Date:
    case FieldType::Time:
    case FieldType::Timestamp:
      return node.is_string();
    case FieldType::String:
    case FieldType::Enum:
    case FieldType::Uri:
      return node.is_string() && !is_ambiguous_text(node);
    case FieldType::Uuid:
    case FieldType::Inet:
    case FieldType::Bytes:
    case FieldType::Object:
    case FieldType::Map:
      return node.is_string();
  }
  return false;
}

std::string type_words(const Field& field) {
  return "a " + to_string(field.type) + (field.is_array ? " list" : "");
}

}  // namespace

std::string literal_problem(const Field& field, std::string_view text) {
  switch (field.type) {
    case FieldType::String:
      return field.max_length &&
                     base::count_code_points(text) > static_cast<std::size_t>(*field.max_length)
                 ? "'" + std::string(text) + "' is longer than '@maxLength'"
                 : std::string();
    case FieldType::Uri:
    case FieldType::Inet:
    case FieldType::Bytes:
    case FieldType::Object:
    case FieldType::Map:
      return {};
    case FieldType::Enum:
      return std::find(field.values.begin(), field.values.end(), text) == field.values.end()
                 ? "'" + std::string(text) + "' is no member" +
                       base::did_you_mean(text, field.values)
                 : std::string();
    case FieldType::Int:
      return integer_problem(text, true);
    case FieldType::Long:
    case FieldType::Currency:
      return integer_problem(text, false);
    case FieldType::Float:
    case FieldType::Double:
      return unless(is_number(text), text, "number");
    case FieldType::Decimal:
      return !is_number(text)             ? "'" + std::string(text) + "' is no number"
             : !fits_decimal(field, text) ? "'" + std::string(text) + "' does not fit the precision"
                                          : std::string();
    case FieldType::Boolean:
      return unless(text == "true" || text == "false", text, "boolean");
    case FieldType::Date:
      return unless(is_date(text), text, "date");
    case FieldType::Time:
      return unless(is_clock(text), text, "time");
    case FieldType::Timestamp:
      return unless(is_timestamp(text), text, "timestamp");
    case FieldType::Uuid:
      return unless(is_uuid(text), text, "uuid");
  }
  return {};
}

DefaultReading read_default(const Field& field, const Node& node, bool yaml) {
  DefaultReading reading;
  if (node.is_mapping()) {
    const Node* sql = node.find("sql");
    reading.value = {FieldDefault::Kind::Sql, sql == nullptr ? "" : sql->text, {}};
    if (base::trim(reading.value.text).empty()) {
      reading.problem = "the SQL of '@default' is empty";
    }
    return reading;
  }
  const bool sql = node.is_string() && !is_text_like(field.type) && looks_like_sql(node.text);
  reading.value = {sql ? FieldDefault::Kind::Sql : FieldDefault::Kind::Literal, node.text, {}};
  if (sql) {
    return reading;
  }
  if (field.is_array) {
    return reading;  // the engine's own text of a list
  }
  if (!yaml_kind_matches(field, node)) {
    reading.coercion = yaml;
    reading.problem = "'@default' is " + type_words(field) + ", not '" + node.text + "'";
    const bool fits = literal_problem(field, node.text).empty();
    reading.hint = is_text_like(field.type) || (!node.is_string() && fits) ? "quote it"
                   : node.is_string() && fits ? "write it without quotes"
                                              : "";
    return reading;
  }
  const std::string problem = literal_problem(field, node.text);
  if (!problem.empty()) {
    reading.problem = "'@default' " + problem;
  }
  return reading;
}

}  // namespace kedge::metadata
