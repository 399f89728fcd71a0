#include "metadata/naming.h"

#include <cctype>

#include "base/text.h"

namespace kedge::metadata {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Between a lower-case letter or digit and a capital, and before the last capital of a run that a
// lower-case letter follows.
bool starts_word(std::string_view name, std::size_t at) {
  if (at == 0 || !is_upper(name[at])) {
    return false;
  }
  const char before = name[at - 1];
  if (is_lower_or_digit(before)) {
    return true;
  }
  const bool lower_follows = at + 1 < name.size() && name[at + 1] >= 'a' && name[at + 1] <= 'z';
  return is_upper(before) && lower_follows;
}

std::string separated(std::string_view name, char separator) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (starts_word(name, i)) {
      out += separator;
    }
    out += name[i] == '_' ? separator : name[i];
  }
  return base::to_lower(out);
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

}  // namespace

std::string to_snake_case(std::string_view name) {
  return separated(name, '_');
}

std::string apply_naming(Naming naming, std::string_view name) {
  switch (naming) {
    case Naming::Literal:
      return std::string(name);
    case Naming::SnakeCase:
      return to_snake_case(name);
    case Naming::KebabCase:
      return separated(name, '-');
  }
  return std::string(name);
}

std::string pluralize(std::string_view name) {
  const std::string lower = base::to_lower(name);
  const std::string text(name);
  const auto vowel = [](char c) {
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
  };
  if (lower.size() >= 2 && lower.back() == 'y' && !vowel(lower[lower.size() - 2])) {
    return text.substr(0, text.size() - 1) + "ies";
  }
  if (ends_with(lower, "s") || ends_with(lower, "x") || ends_with(lower, "z") ||
      ends_with(lower, "ch") || ends_with(lower, "sh")) {
    return text + "es";
  }
  return text + "s";
}

}  // namespace kedge::metadata
