#include "contracts/node_reader.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::contracts {

using document::Kind;
using document::Node;

void NodeReader::problem(const Node& at, std::string message, std::string hint) const {
  problems_.push_back({code_, std::move(message), place(at), std::move(hint), {}});
}

void NodeReader::refuse_unknown(const Node& mapping, const std::vector<std::string>& known,
                                std::string_view what) const {
  for (const document::Entry& entry : mapping.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      problem(entry.key, "unknown key '" + entry.key.text + "' in " + std::string(what) +
                             base::did_you_mean(entry.key.text, known));
    }
  }
}

std::optional<std::string> NodeReader::text(const Node& node, std::string_view what) const {
  if (!node.is_scalar() || node.kind == Kind::Null) {
    problem(node, std::string(what) + " must be a text");
    return std::nullopt;
  }
  return node.text;
}

std::optional<bool> NodeReader::boolean(const Node& node, std::string_view what) const {
  const std::optional<bool> value = node.as_boolean();
  if (!value) {
    problem(node, std::string(what) + " must be true or false", "write lower-case true or false");
  }
  return value;
}

std::optional<std::string> NodeReader::number(const Node& node, std::string_view what) const {
  if (!node.as_number()) {
    problem(node, std::string(what) + " must be a number");
    return std::nullopt;
  }
  return node.text;
}

std::vector<std::string> NodeReader::texts(const Node& node, std::string_view what) const {
  if (node.is_scalar() && node.kind != Kind::Null) {
    return {node.text};
  }
  return list(node, what).value_or(std::vector<std::string>{});
}

std::optional<std::vector<std::string>> NodeReader::list(const Node& node,
                                                         std::string_view what) const {
  if (!node.is_sequence()) {
    problem(node, std::string(what) + " must be a list");
    return std::nullopt;
  }
  std::vector<std::string> items;
  for (const Node& item : node.items) {
    if (!item.is_scalar() || item.kind == Kind::Null) {
      problem(item, "an entry of " + std::string(what) + " must be a single value");
      return std::nullopt;
    }
    items.push_back(item.text);
  }
  return items;
}

}  // namespace kedge::contracts
