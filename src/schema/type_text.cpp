// Canonical type text in both directions (spec/metadata.md 3.1).
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "kedge/type.h"

namespace kedge::schema {
namespace {

using NamedKind = std::pair<TypeKind, std::string_view>;
// Every kind by its canonical word. Domain and Native print as native(<spelling>).
constexpr std::array kKinds = {NamedKind{TypeKind::Unknown, "unknown"},
                               NamedKind{TypeKind::Boolean, "boolean"},
                               NamedKind{TypeKind::Int8, "int8"},
                               NamedKind{TypeKind::Int16, "int16"},
                               NamedKind{TypeKind::Int32, "int32"},
                               NamedKind{TypeKind::Int64, "int64"},
                               NamedKind{TypeKind::Int128, "int128"},
                               NamedKind{TypeKind::UInt8, "uint8"},
                               NamedKind{TypeKind::UInt16, "uint16"},
                               NamedKind{TypeKind::UInt32, "uint32"},
                               NamedKind{TypeKind::UInt64, "uint64"},
                               NamedKind{TypeKind::UInt128, "uint128"},
                               NamedKind{TypeKind::Real4, "real4"},
                               NamedKind{TypeKind::Real8, "real8"},
                               NamedKind{TypeKind::Numeric, "numeric"},
                               NamedKind{TypeKind::Text, "text"},
                               NamedKind{TypeKind::Char, "char"},
                               NamedKind{TypeKind::Blob, "blob"},
                               NamedKind{TypeKind::Bit, "bit"},
                               NamedKind{TypeKind::Date, "date"},
                               NamedKind{TypeKind::Time, "time"},
                               NamedKind{TypeKind::TimeTz, "time"},
                               NamedKind{TypeKind::Timestamp, "timestamp"},
                               NamedKind{TypeKind::TimestampTz, "timestamp"},
                               NamedKind{TypeKind::Interval, "interval"},
                               NamedKind{TypeKind::Uuid, "uuid"},
                               NamedKind{TypeKind::Json, "json"},
                               NamedKind{TypeKind::Inet, "inet"},
                               NamedKind{TypeKind::Array, "array"},
                               NamedKind{TypeKind::Struct, "struct"},
                               NamedKind{TypeKind::Map, "map"},
                               NamedKind{TypeKind::Enum, "enum"},
                               NamedKind{TypeKind::Domain, "domain"},
                               NamedKind{TypeKind::Native, "native"}};

std::string quoted_labels(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    text += text.empty() ? "'" : ",'";
    for (const char character : label) {
      text += character == '\'' ? std::string("''") : std::string(1, character);
    }
    text += "'";
  }
  return text;
}

// What stands between the parentheses; empty when there are none.
std::string arguments_of(const Type& type) {
  const bool zoned = type.kind == TypeKind::TimeTz || type.kind == TypeKind::TimestampTz;
  if (type.kind == TypeKind::Array) {
    return type.element.empty() ? "" : to_string(type.element[0]);
  }
  if (type.kind == TypeKind::Enum) {
    return quoted_labels(type.labels);
  }
  if (type.kind == TypeKind::Numeric) {
    return type.precision
               ? std::to_string(*type.precision) + "," + std::to_string(type.scale.value_or(0))
               : "";
  }
  if (type.length) {
    return std::to_string(*type.length);
  }
  const std::string digits = type.precision ? std::to_string(*type.precision) : "";
  return zoned ? (digits.empty() ? "tz" : "tz," + digits) : digits;
}

bool is_known_by_its_spelling(const Type& type) {
  const TypeKind kind = type.kind;
  return kind == TypeKind::Domain || kind == TypeKind::Native || kind == TypeKind::Struct ||
         kind == TypeKind::Map || (kind == TypeKind::Enum && type.labels.empty());
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

bool read_labels(std::string_view text, Type& type) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '\'') {
    std::string label;
    for (++at; at < text.size(); ++at) {
      if (text[at] == '\'') {
        if (at + 1 < text.size() && text[at + 1] == '\'') {
          ++at;
        } else {
          break;
        }
      }
      label += text[at];
    }
    type.labels.push_back(std::move(label));
    at += at + 1 < text.size() && text[at + 1] == ',' ? 2 : 1;
  }
  return at == text.size();
}

bool read_numeric(std::string_view text, Type& type) {
  const std::size_t comma = text.find(',');
  type.precision = number(text.substr(0, comma));
  type.scale = comma == std::string_view::npos ? std::optional(0) : number(text.substr(comma + 1));
  return type.precision.has_value() && type.scale.has_value();
}

bool read_time(std::string_view text, Type& type) {
  if (text == "tz" || text.starts_with("tz,")) {
    type.kind = type.kind == TypeKind::Time ? TypeKind::TimeTz : TypeKind::TimestampTz;
    text.remove_prefix(text.size() > 2 ? 3 : 2);
  }
  type.precision = number(text);
  return text.empty() || type.precision.has_value();
}

bool read_element(std::string_view text, Type& type) {
  const std::optional<Type> element = parse_canonical(text);
  if (element) {
    type.element.push_back(*element);
  }
  return element.has_value();
}

bool read_native(std::string_view text, Type& type) {
  type.native = std::string(text);
  return true;
}

bool read_precision(std::string_view text, Type& type) {
  type.precision = number(text);
  return type.precision.has_value();
}

bool read_length(std::string_view text, Type& type) {
  type.length = number(text);
  return type.length.has_value();
}

bool read_arguments(std::string_view text, Type& type) {
  using Reader = bool (*)(std::string_view, Type&);
  static constexpr std::array kReaders = {
      std::pair<TypeKind, Reader>{TypeKind::Array, read_element},
      std::pair<TypeKind, Reader>{TypeKind::Enum, read_labels},
      std::pair<TypeKind, Reader>{TypeKind::Numeric, read_numeric},
      std::pair<TypeKind, Reader>{TypeKind::Native, read_native},
      std::pair<TypeKind, Reader>{TypeKind::Time, read_time},
      std::pair<TypeKind, Reader>{TypeKind::Timestamp, read_time},
      std::pair<TypeKind, Reader>{TypeKind::Interval, read_precision},
      std::pair<TypeKind, Reader>{TypeKind::Text, read_length},
      std::pair<TypeKind, Reader>{TypeKind::Char, read_length},
      std::pair<TypeKind, Reader>{TypeKind::Blob, read_length},
      std::pair<TypeKind, Reader>{TypeKind::Bit, read_length}};
  for (const auto& [kind, read] : kReaders) {
    if (kind == type.kind) {
      return read(text, type);
    }
  }
  return false;
}

}  // namespace

std::string_view kind_name(TypeKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) {
      return name;
    }
  }
  return "unknown";
}

std::string to_string(const Type& type) {
  if (is_known_by_its_spelling(type)) {
    return type.native.empty() ? std::string(kind_name(type.kind)) : "native(" + type.native + ")";
  }
  const std::string arguments = arguments_of(type);
  const std::string name(kind_name(type.kind));
  return arguments.empty() ? name : name + "(" + arguments + ")";
}

constexpr std::size_t kLongestText = 64U << 10U;  // bounds the recursion into arrays of arrays

std::optional<Type> parse_canonical(std::string_view text) {
  if (text.size() > kLongestText) {
    return std::nullopt;
  }
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  for (const auto& [kind, known] : kKinds) {
    if (known != name) {
      continue;
    }
    Type type;
    type.kind = kind;
    if (open == std::string_view::npos) {
      return type;
    }
    const bool closed = text.ends_with(')') && text.size() > open + 2;
    if (!closed || !read_arguments(text.substr(open + 1, text.size() - open - 2), type)) {
      return std::nullopt;
    }
    return type;
  }
  return std::nullopt;
}

std::string to_string(Bucket bucket) {
  switch (bucket) {
    case Bucket::Number:
      return "number";
    case Bucket::String:
      return "string";
    case Bucket::Boolean:
      return "boolean";
    case Bucket::Temporal:
      return "temporal";
    case Bucket::Undetermined:
      return "undetermined";
  }
  return "undetermined";
}

}  // namespace kedge::schema
