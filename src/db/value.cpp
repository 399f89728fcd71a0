#include <charconv>
#include <cmath>

#include "base/overloaded.h"
#include "base/text.h"
#include "db/connection.h"

namespace kedge::db {
namespace {

std::string text_of(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  std::string buffer(32, '\0');
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return buffer;
}

std::string text_of(const Bytes& bytes) {
  return "\\x" + base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  text = base::trim(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (text.empty() || error != std::errc()) {
    return std::nullopt;
  }
  std::string_view rest(end, static_cast<std::size_t>(last - end));
  if (rest.starts_with('.')) {  // "12.000" is a whole number, "12.5" is none
    rest.remove_prefix(1);
    while (rest.starts_with('0')) {
      rest.remove_prefix(1);
    }
  }
  return rest.empty() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> integer_of(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::trunc(value) != value || value < -kLimit || value >= kLimit) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

bool truth_of(std::string_view text) {
  const std::string lower = base::to_lower(base::trim(text));
  return lower == "t" || lower == "true" || lower == "1" || lower == "yes";
}

}  // namespace

bool is_null(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

std::string to_text(const Value& value) {
  return std::visit(
      base::Overloaded{[](std::monostate) { return std::string(); },
                       [](bool truth) { return std::string(truth ? "true" : "false"); },
                       [](std::int64_t integer) { return std::to_string(integer); },
                       [](double real) { return text_of(real); },
                       [](const std::string& text) { return text; },
                       [](const Bytes& bytes) { return text_of(bytes); }},
      value);
}

std::optional<std::int64_t> to_integer(const Value& value) {
  using Result = std::optional<std::int64_t>;
  return std::visit(
      base::Overloaded{[](std::monostate) { return Result(); },
                       [](bool truth) { return Result(truth ? 1 : 0); },
                       [](std::int64_t integer) { return Result(integer); },
                       [](double real) { return integer_of(real); },
                       [](const std::string& text) { return integer_of(std::string_view(text)); },
                       [](const Bytes&) { return Result(); }},
      value);
}

bool to_boolean(const Value& value) {
  return std::visit(
      base::Overloaded{[](std::monostate) { return false; }, [](bool truth) { return truth; },
                       [](std::int64_t integer) { return integer != 0; },
                       [](double real) { return real != 0; },
                       [](const std::string& text) { return truth_of(text); },
                       [](const Bytes& bytes) {
                         // mysql's bit(1)
                         return bytes.size() == 1 && bytes[0] != std::byte{0};
                       }},
      value);
}

}  // namespace kedge::db
