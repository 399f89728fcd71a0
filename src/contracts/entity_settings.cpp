// What a contract carries of an entity's block beside its columns and facts, as it is written
// there:
// `${NAME}` stays a name.
#include <algorithm>
#include <charconv>

#include "contracts/odcs.h"

namespace kedge::contracts {
namespace {

using document::Json;
using document::Kind;
using document::Node;

void keep(Json& settings, const Node* block, const std::vector<std::string_view>& known) {
  if (block == nullptr) {
    return;
  }
  for (const document::Entry& entry : block->entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      settings.set(entry.key.text, kept_setting(entry.value));
    }
  }
}

}  // namespace

Json text_list(const std::vector<std::string>& values) {
  Json list = Json::array();
  for (const std::string& value : values) {
    list.push(value);
  }
  return list;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

Json kept_setting(const Node& node) {
  switch (node.kind) {
    case Kind::Null:
      return nullptr;
    case Kind::Boolean:
      return node.as_boolean().value_or(false);
    case Kind::Integer: {
      const std::optional<std::int64_t> value = node.as_integer();
      return value && std::to_string(*value) == node.text ? Json(*value) : Json(node.text);
    }
    case Kind::Float:
    case Kind::String:
      return node.text;
    case Kind::Sequence: {
      Json list = Json::array();
      for (const Node& item : node.items) {
        list.push(kept_setting(item));
      }
      return list;
    }
    case Kind::Mapping:
      break;
  }
  Json mapping = Json::object();
  for (const document::Entry& entry : node.entries) {
    mapping.set(entry.key.text, kept_setting(entry.value));
  }
  return mapping;
}

void keep_settings(EntityContract& entity, const Node& block) {
  if (const Node* description = block.find("description")) {
    entity.description = description->text;
  }
  if (const Node* tags = block.find("tags")) {
    for (const Node& tag : tags->items) {
      entity.tags.push_back(tag.text);
    }
  }
  keep(entity.read_settings, block.find("read"), {"columns", "expect", "path"});
  keep(entity.write_settings, block.find("write"), {"strategy", "schema_policy", "keys"});
  const bool columns = std::all_of(
      entity.keys.begin(), entity.keys.end(),
      [&](const std::string& key) { return find_column(entity.contract, key) != nullptr; });
  if (!columns) {
    entity.write_settings.set("keys", kept_setting(*block.find("write")->find("keys")));
  }
}

}  // namespace kedge::contracts
