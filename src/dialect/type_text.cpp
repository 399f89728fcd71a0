#include "dialect/type_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"

namespace kedge::dialect {
namespace {

using schema::TypeKind;

// The index after the parenthesis that closes the one at `open`; quotes are skipped.
std::size_t after_closing(std::string_view text, std::size_t open) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char character = text[at];
    if (quote != 0) {
      quote = character == quote ? '\0' : quote;
    } else if (character == '\'' || character == '"') {
      quote = character;
    } else if (character == '(') {
      ++depth;
    } else if (character == ')' && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char character = at < text.size() ? text[at] : ',';
    if (quote != 0 && at < text.size()) {
      quote = character == quote ? '\0' : quote;
    } else if (character == '\'' || character == '"') {
      quote = character;
    } else if (character == '(') {
      ++depth;
    } else if (character == ')') {
      --depth;
    } else if (character == ',' && (depth == 0 || at == text.size())) {
      parts.emplace_back(base::trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  return parts;
}

void append_words(std::string& words, std::string_view text) {
  for (const char character : text) {
    const bool space = std::isspace(static_cast<unsigned char>(character)) != 0;
    if (!space) {
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
}

std::string_view without_array_suffix(std::string_view text) {
  if (!text.ends_with(']')) {
    return text;
  }
  const std::size_t open = text.rfind('[');
  const bool plain = open != std::string_view::npos &&
                     std::all_of(text.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                                 text.end() - 1, [](unsigned char c) { return std::isdigit(c); });
  return plain ? base::trim(text.substr(0, open)) : text;
}

}  // namespace

TypeText take_apart(std::string_view native) {
  TypeText text;
  std::string_view rest = base::trim(native);
  for (std::string_view shorter = without_array_suffix(rest); shorter.size() < rest.size();
       shorter = without_array_suffix(rest)) {
    if (text.arrays++ == 0) {
      text.element = std::string(shorter);
    }
    rest = shorter;
  }
  const std::size_t open = rest.find('(');
  append_words(text.words, rest.substr(0, open));
  if (open != std::string_view::npos) {
    const std::size_t end = after_closing(rest, open);
    text.arguments = split_arguments(rest.substr(open + 1, std::max(end, open + 2) - open - 2));
    text.words += ' ';
    append_words(text.words, rest.substr(end));
  }
  text.words = std::string(base::trim(text.words));
  text.words = base::replace_all(std::move(text.words), "  ", " ");
  return text;
}

std::optional<int> argument(const TypeText& text, std::size_t index) {
  if (index >= text.arguments.size()) {
    return std::nullopt;
  }
  const std::string& written = text.arguments[index];
  int value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  const bool whole = error == std::errc() && end == written.data() + written.size();
  return whole && !written.empty() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> labels_of(const TypeText& text) {
  std::vector<std::string> labels;
  for (const std::string& written : text.arguments) {
    if (written.size() < 2 || written.front() != '\'' || written.back() != '\'') {
      return {};
    }
    labels.push_back(base::replace_all(written.substr(1, written.size() - 2), "''", "'"));
  }
  return labels;
}

std::optional<TypeKind> find_kind(std::span<const NamedType> table, std::string_view words) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NamedType& named) { return named.words == words; });
  return found == table.end() ? std::nullopt : std::optional(found->kind);
}

void read_arguments(const TypeText& text, schema::Type& type) {
  switch (type.kind) {
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Blob:
    case TypeKind::Bit:
      type.length = argument(text, 0);
      break;
    case TypeKind::Numeric:
      type.precision = argument(text, 0);
      type.scale = type.precision ? std::optional(argument(text, 1).value_or(0)) : std::nullopt;
      break;
    case TypeKind::Time:
    case TypeKind::TimeTz:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Interval:
      type.precision = argument(text, 0);
      break;
    case TypeKind::Enum:
      type.labels = labels_of(text);
      break;
    case TypeKind::Unknown:
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::Int128:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
    case TypeKind::Real4:
    case TypeKind::Real8:
    case TypeKind::Date:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Inet:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Domain:
    case TypeKind::Native:
      break;
  }
}

std::string facets(const schema::Type& type) {
  if (type.length) {
    return "(" + std::to_string(*type.length) + ")";
  }
  if (type.kind == TypeKind::Numeric && type.precision) {
    return "(" + std::to_string(*type.precision) + "," + std::to_string(type.scale.value_or(0)) +
           ")";
  }
  return type.precision ? "(" + std::to_string(*type.precision) + ")" : "";
}

}  // namespace kedge::dialect
