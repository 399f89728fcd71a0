#include "project/variables.h"

#include "document/json.h"

namespace kedge::project {
namespace {

bool is_name(std::string_view text) {
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !text.empty() && kLetters.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of(std::string(kLetters) + "0123456789") == std::string_view::npos;
}

// A plain scalar is typed by its value only when writing the value back gives the same text.
document::Kind kind_of_value(const std::string& text) {
  if (text == "true" || text == "false") {
    return document::Kind::Boolean;
  }
  document::Node probe;
  probe.text = text;
  for (const document::Kind kind : {document::Kind::Integer, document::Kind::Float}) {
    probe.kind = kind;
    const bool digits = text.find_first_not_of("-0123456789.eE+") == std::string::npos;
    if (digits && probe.as_number() && document::write_json(document::to_json(probe), -1) == text) {
      return kind;
    }
  }
  return document::Kind::String;
}

}  // namespace

void Expander::expand(document::Node& node, std::string_view key) {
  if (node.is_scalar()) {
    expand_scalar(node, key);
  }
  for (document::Node& item : node.items) {
    expand(item, key);
  }
  for (document::Entry& entry : node.entries) {
    expand(entry.value, entry.key.text);
  }
}

void Expander::expand_scalar(document::Node& node, std::string_view key) {
  if (node.text.find("${") == std::string::npos) {
    return;
  }
  std::string result;
  bool replaced = false;
  std::size_t at = 0;
  const std::string& text = node.text;
  while (at < text.size()) {
    if (text.compare(at, 3, "$${") == 0) {
      result += "${";
      at += 3;
      continue;
    }
    const std::size_t end = text.compare(at, 2, "${") == 0 ? text.find('}', at) : std::string::npos;
    const std::string name = end == std::string::npos ? "" : text.substr(at + 2, end - at - 2);
    if (!is_name(name)) {
      result += text[at++];
      continue;
    }
    const std::optional<std::string> value = environment_.get(name);
    if (!value || (value->empty() && key != "password")) {
      unset.push_back({name, &node, value.has_value()});
      unresolved_.insert(node.range.begin);
    } else {
      result += *value;
      replaced = true;
      if (!value->empty()) {
        values.push_back(*value);
      }
    }
    at = end + 1;
  }
  if (replaced) {
    expanded_.insert(node.range.begin);
  }
  node.text = result;
  if (node.style == document::Style::Plain) {
    node.kind = replaced ? kind_of_value(result) : document::Kind::String;
  }
}

}  // namespace kedge::project
