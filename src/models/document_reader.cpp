#include "models/document_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::models {
namespace {

Problem make_problem(const ReadContext& context, Code code, std::string message, Place place,
                     std::string hint) {
  Problem problem{code, std::move(message), std::nullopt, std::move(hint), {}};
  if (!context.file.empty()) {  // an empty file has no line, yet a name
    const Place known = place.line > 0 ? place : Place{1, 1};
    problem.where = Position{context.file, known.line, known.column};
  }
  return problem;
}

std::string kind_name(const document::Node& node) {
  switch (node.kind) {
    case document::Kind::Null:
      return "null";
    case document::Kind::Boolean:
      return "a boolean";
    case document::Kind::Integer:
    case document::Kind::Float:
      return "a number";
    case document::Kind::String:
      return "a text";
    case document::Kind::Sequence:
      return "a list";
    case document::Kind::Mapping:
      return "a mapping";
  }
  return "something else";
}

bool is_variable_value(const document::Node& node) {
  if (node.is_sequence()) {
    return std::all_of(node.items.begin(), node.items.end(), [](const document::Node& item) {
      return item.is_scalar() && item.kind != document::Kind::Null;
    });
  }
  return node.is_scalar() && node.kind != document::Kind::Null;
}

}  // namespace

Place place_of(const document::Node& node) {
  return {node.range.line, node.range.column};
}

Place place_of(const document::Node& mapping, std::string_view key) {
  const document::Node* found = mapping.find(key);
  return place_of(found ? *found : mapping);
}

Place place_in(const document::Node& scalar, std::string_view text, std::size_t offset) {
  Place place = place_of(scalar);
  const bool single_line = text.find('\n') == std::string_view::npos;
  if (!single_line || scalar.style == document::Style::Literal ||
      scalar.style == document::Style::Folded) {
    return place;
  }
  const std::size_t quote = scalar.style == document::Style::Plain ? 0 : 1;
  place.column += quote + base::count_code_points(text.substr(0, std::min(offset, text.size())));
  return place;
}

void DocumentReader::error(Code code, std::string message, const document::Node& node,
                           std::string hint) {
  error(code, std::move(message), place_of(node), std::move(hint));
}

void DocumentReader::error(Code code, std::string message, Place place, std::string hint) {
  errors_.push_back(make_problem(context_, code, std::move(message), place, std::move(hint)));
}

void DocumentReader::warning(Code code, std::string message, Place place, std::string hint) {
  warnings_.push_back(make_problem(context_, code, std::move(message), place, std::move(hint)));
}

bool DocumentReader::mapping(const document::Node& node, std::span<const std::string_view> known,
                             std::string_view what) {
  if (!node.is_mapping()) {
    error(codes::bad_value, std::string(what) + " must be a mapping, not " + kind_name(node), node);
    return false;
  }
  if (unknown_keys_ == UnknownKeys::Keep) {
    return true;
  }
  const std::vector<std::string> names(known.begin(), known.end());
  for (const document::Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      error(codes::unknown_key,
            std::string(what) + " has no key '" + entry.key.text + "'" +
                base::did_you_mean(entry.key.text, names),
            entry.key, "known keys: " + base::join(names, ", "));
    }
  }
  return true;
}

const document::Node* DocumentReader::value(const document::Node& mapping, std::string_view key) {
  const document::Node* found = mapping.find(key);
  return found && found->kind != document::Kind::Null ? found : nullptr;
}

std::optional<std::string> DocumentReader::optional_text(const document::Node& mapping,
                                                         std::string_view key,
                                                         std::string_view what) {
  const document::Node* found = value(mapping, key);
  if (!found) {
    return std::nullopt;
  }
  if (!found->is_scalar()) {
    error(
        codes::bad_value,
        std::string(key) + " of " + std::string(what) + " must be a text, not " + kind_name(*found),
        *found);
    return std::nullopt;
  }
  return found->text;
}

std::string DocumentReader::text(const document::Node& mapping, std::string_view key,
                                 std::string_view what) {
  return optional_text(mapping, key, what).value_or("");
}

std::optional<bool> DocumentReader::flag(const document::Node& mapping, std::string_view key,
                                         std::string_view what) {
  const document::Node* found = value(mapping, key);
  if (!found) {
    return std::nullopt;
  }
  const std::optional<bool> boolean = found->as_boolean();
  if (!boolean) {
    error(codes::bad_value,
          std::string(key) + " of " + std::string(what) + " must be true or false, not " +
              kind_name(*found),
          *found);
  }
  return boolean;
}

std::optional<std::int64_t> DocumentReader::count(const document::Node& mapping,
                                                  std::string_view key, std::string_view what) {
  const document::Node* found = value(mapping, key);
  if (!found) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> number = found->as_integer();
  if (!number || *number < 0) {
    error(codes::bad_value,
          std::string(key) + " of " + std::string(what) + " must be a whole number from 0 on",
          *found);
    return std::nullopt;
  }
  return number;
}

void DocumentReader::each(const document::Node& mapping, std::string_view key,
                          std::string_view what,
                          const std::function<void(const document::Node&)>& item) {
  const document::Node* found = value(mapping, key);
  if (!found) {
    return;
  }
  if (!found->is_sequence()) {
    error(
        codes::bad_value,
        std::string(key) + " of " + std::string(what) + " must be a list, not " + kind_name(*found),
        *found);
    return;
  }
  for (const document::Node& node : found->items) {
    item(node);
  }
}

document::Json DocumentReader::free_map(const document::Node& mapping, std::string_view key,
                                        std::string_view what) {
  const document::Node* found = value(mapping, key);
  if (!found) {
    return {};
  }
  if (!found->is_mapping()) {
    error(codes::bad_value, std::string(key) + " of " + std::string(what) + " must be a mapping",
          *found);
    return {};
  }
  return document::to_json(*found);
}

std::map<std::string, document::Json> DocumentReader::variables(const document::Node& mapping,
                                                                std::string_view key,
                                                                std::string_view what) {
  std::map<std::string, document::Json> variables;
  const document::Node* found = value(mapping, key);
  if (!found) {
    return variables;
  }
  if (!found->is_mapping()) {
    error(codes::bad_value, std::string(key) + " of " + std::string(what) + " must be a mapping",
          *found);
    return variables;
  }
  for (const document::Entry& entry : found->entries) {
    if (!is_variable_value(entry.value)) {
      error(codes::bad_value,
            "variable '" + entry.key.text + "' of " + std::string(what) +
                " must be a text, a number, a boolean or a list of these",
            entry.value);
      continue;
    }
    variables.emplace(entry.key.text, document::to_json(entry.value));
  }
  return variables;
}

std::optional<ColumnType> DocumentReader::type(const document::Node& mapping,
                                               std::string_view what) {
  static constexpr std::array<std::pair<std::string_view, ColumnType>, 12> kTypes{{
      {"TEXT", ColumnType::Text},
      {"INT", ColumnType::Int},
      {"DOUBLE", ColumnType::Double},
      {"BOOLEAN", ColumnType::Boolean},
      {"DATE", ColumnType::Date},
      {"TIMESTAMP", ColumnType::Timestamp},
      {"string", ColumnType::Text},
      {"number", ColumnType::Double},
      {"integer", ColumnType::Int},
      {"time", ColumnType::Timestamp},
      {"date", ColumnType::Date},
      {"boolean", ColumnType::Boolean},
  }};
  const std::optional<std::string> word = optional_text(mapping, "type", what);
  if (!word) {
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const auto& [name, type] : kTypes) {
    if (name == *word) {
      return type;
    }
    known.emplace_back(name);
  }
  error(codes::unknown_type,
        "type '" + *word + "' of " + std::string(what) + " is not known" +
            base::did_you_mean(*word, known),
        place_of(mapping, "type"), "types: TEXT, INT, DOUBLE, BOOLEAN, DATE, TIMESTAMP");
  return std::nullopt;
}

}  // namespace kedge::models
