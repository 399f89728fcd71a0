#include "dialect/row_view.h"

#include <cctype>

#include "base/text.h"

namespace kedge::dialect {
namespace {

// The index of the parenthesis that closes the one at 0; npos when there is none.
std::size_t closing_parenthesis(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (quote != 0) {
      quote = character == quote ? '\0' : quote;
    } else if (character == '\'' || character == '"' || character == '`') {
      quote = character;
    } else if (character == '(') {
      ++depth;
    } else if (character == ')' && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_digit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  return text.empty() ? std::vector<std::string>() : base::split(text, kListSeparator);
}

std::pair<std::string, std::string> split_option(std::string_view item) {
  const std::size_t equal = item.find('=');
  return {std::string(item.substr(0, equal)),
          equal == std::string_view::npos ? "" : std::string(item.substr(equal + 1))};
}

std::string_view without_outer_parentheses(std::string_view expression) {
  expression = base::trim(expression);
  while (expression.starts_with('(') && closing_parenthesis(expression) == expression.size() - 1) {
    expression = base::trim(expression.substr(1, expression.size() - 2));
  }
  return expression;
}

bool read_string_literal(std::string_view text, std::string& content) {
  if (text.size() < 2 || text.front() != '\'') {
    return false;
  }
  std::string read;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '\'') {
      read += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == '\'') {
      read += text[at++];
    } else {
      content = std::move(read);
      return at + 1 == text.size();
    }
  }
  return false;
}

bool is_number(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  bool digits = false;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.'); ++at) {
    digits = digits || is_digit(text[at]);
  }
  if (digits && at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at += at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') ? 2 : 1;
    digits = at < text.size();
    for (; at < text.size() && is_digit(text[at]); ++at) {
    }
  }
  return digits && at == text.size();
}

}  // namespace kedge::dialect
