#include "app/schema_shapes.h"

#include <charconv>
#include <set>

#include "base/text.h"

namespace kedge::app {
namespace {

using document::Json;

bool has_word(std::string_view blanks, std::string_view word) {
  for (const std::string& each : base::split(blanks, ' ')) {
    if (each == word) {
      return true;
    }
  }
  return false;
}

// At '|' outside of brackets.
std::vector<std::string_view> alternatives(std::string_view kinds) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const char c = kinds[i];
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (c == '|' && depth == 0) {
      parts.push_back(kinds.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(kinds.substr(start));
  return parts;
}

std::int64_t number_of(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Json scalar() {
  Json json;
  json.set("type", words("string number boolean"));
  return json;
}

Json list_of(Json items) {
  Json json = typed("array");
  json.set("items", std::move(items));
  return json;
}

Json list_of(Json items, int least, int most) {
  Json json = list_of(std::move(items));
  json.set("minItems", least);
  if (most > 0) {
    json.set("maxItems", most);
  }
  return json;
}

Json pattern(std::string_view text) {
  Json json = typed("string");
  json.set("pattern", text);
  return json;
}

Json either(Json first, Json second) {
  Json list = Json::array();
  list.push(std::move(first)).push(std::move(second));
  Json json;
  json.set("anyOf", std::move(list));
  return json;
}

Json threshold() {
  Json number = typed("number");
  number.set("minimum", 0);
  return either(std::move(number), pattern("^[0-9]+(\\.[0-9]+)?%?$"));
}

Json one_entry() {
  Json json = typed("object");
  json.set("minProperties", 1);
  json.set("maxProperties", 1);
  json.set("additionalProperties", scalar());
  return json;
}

// A kind that is a word; any value when it is not one of those below.
Json by_word(std::string_view kind) {
  if (kind == "text" || kind == "scalar") {
    return scalar();
  }
  if (kind == "name") {
    return scalar().set("minLength", 1);
  }
  if (kind == "string" || kind == "object" || kind == "null") {
    return typed(kind);
  }
  if (kind == "bool") {
    return typed("boolean");
  }
  if (kind == "duration") {
    return pattern("^[0-9]+(ms|s|m|h|d)$");
  }
  if (kind == "target") {
    return pattern("^[a-z][a-z0-9-]*$");
  }
  if (kind == "texts") {
    return list_of(scalar());
  }
  if (kind == "texts1") {
    return either(scalar(), list_of(scalar()));
  }
  if (kind == "threshold") {
    return threshold();
  }
  if (kind == "pair") {
    return one_entry();
  }
  if (kind == "pairs") {
    return list_of(list_of(scalar().set("minLength", 1), 2, 2), 1, 0);
  }
  return kind == "two" ? list_of(scalar(), 2, 2) : Json(true);
}

Json integer_of(std::string_view kind) {
  const std::vector<std::string> parts = base::split(kind, ':');
  return parts.size() == 3 ? integer_schema(number_of(parts[1]), number_of(parts[2]))
                           : integer_schema(0, 0);
}

}  // namespace

Json words(std::string_view blanks) {
  Json list = Json::array();
  for (const std::string& word : base::split(blanks, ' ')) {
    if (!word.empty()) {
      list.push(word);
    }
  }
  return list;
}

Json reference(std::string_view definition) {
  Json json;
  json.set("$ref", "#/$defs/" + std::string(definition));
  return json;
}

Json typed(std::string_view type) {
  Json json;
  json.set("type", type);
  return json;
}

Json integer_schema(std::int64_t least, std::int64_t most) {
  Json json = typed("integer");
  json.set("minimum", least);
  if (most > 0) {
    json.set("maximum", most);
  }
  return json;
}

Json ShapeSchemas::one(std::string_view kind) const {
  const std::string_view inside = kind.size() > 2 ? kind.substr(1, kind.size() - 2) : kind;
  if (kind.starts_with('#')) {
    return reference(kind.substr(1));
  }
  if (kind.starts_with('[')) {
    return list_of(any_of(inside));
  }
  if (kind.starts_with('{')) {
    Json json = typed("object");
    json.set("additionalProperties", any_of(inside));
    return json;
  }
  if (kind.starts_with("enum:")) {
    Json json;
    json.set("enum", words(kind.substr(5)));
    return json;
  }
  return kind == "int" || kind.starts_with("int:") ? integer_of(kind) : by_word(kind);
}

Json ShapeSchemas::any_of(std::string_view kinds) const {
  const std::vector<std::string_view> parts = alternatives(kinds);
  if (parts.size() == 1) {
    return one(parts.front());
  }
  Json list = Json::array();
  for (const std::string_view part : parts) {
    list.push(one(part));
  }
  Json json;
  json.set("anyOf", std::move(list));
  return json;
}

Json ShapeSchemas::value(std::string_view kind) const {
  Json made = any_of(kind);
  switch (beside_) {
    case Beside::Nothing:
      return made;
    case Beside::Null:
      return either(std::move(made), typed("null"));
    case Beside::Variable:
      return either(std::move(made), pattern("\\$\\{"));
  }
  return made;
}

Json ShapeSchemas::shape(std::string_view name) const {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ShapeRow& row : rows_) {
    if (has_word(row.shapes, name)) {
      properties.set(row.key,
                     row.required && beside_ == Beside::Null ? any_of(row.kind) : value(row.kind));
      if (row.required) {
        required.push(row.key);
      }
    }
  }
  Json json = typed("object");
  json.set("properties", std::move(properties));
  if (!required.as_array()->empty()) {
    json.set("required", std::move(required));
  }
  json.set("additionalProperties", false);
  return json;
}

Json ShapeSchemas::definitions() const {
  std::set<std::string> names;
  for (const ShapeRow& row : rows_) {
    for (const std::string& name : base::split(row.shapes, ' ')) {
      names.insert(name);
    }
  }
  Json definitions = Json::object();
  for (const std::string& name : names) {
    definitions.set(name, shape(name));
  }
  return definitions;
}

}  // namespace kedge::app
