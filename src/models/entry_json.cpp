#include "models/entry_json.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::models {
namespace {

using document::Json;
using document::Node;

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) {
    list.push(name);
  }
  return list;
}

Json reasons_json(const std::vector<DeleteReason>& reasons) {
  Json list = Json::array();
  for (const DeleteReason& reason : reasons) {
    Json item;
    item.set("target", reason.target);
    item.set("code", reason.code);
    item.set("reason", reason.reason);
    list.push(std::move(item));
  }
  return list;
}

class EntryReader {
 public:
  explicit EntryReader(const document::Document& document) : document_(document) {}

  std::vector<ToDeleteEntry> read() const {
    std::vector<ToDeleteEntry> entries;
    if (document_.root.is_sequence()) {
      for (const Node& node : document_.root.items) {
        entries.push_back(read_entry(node));
      }
    } else {
      entries.push_back(read_entry(document_.root));
    }
    return entries;
  }

 private:
  [[noreturn]] void refuse(const Node& node, std::string message) const {
    throw Error(Problem{codes::ERR_USAGE,
                        std::move(message),
                        document_.position(node),
                        "pass the JSON list that validate-models prints",
                        {}});
  }

  void check_keys(const Node& node, std::span<const std::string_view> known) const {
    if (!node.is_mapping()) {
      refuse(node, "a delete entry must be an object");
    }
    for (const document::Entry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
        refuse(entry.key, "a delete entry has no key '" + entry.key.text + "'");
      }
    }
  }

  std::string text(const Node& node, std::string_view key) const {
    const Node* found = node.find(key);
    if (!found || !found->is_scalar()) {
      refuse(node, "a delete entry needs the text '" + std::string(key) + "'");
    }
    return found->text;
  }

  std::vector<std::string> names(const Node& node, std::string_view key) const {
    std::vector<std::string> names;
    const Node* found = node.find(key);
    if (!found) {
      return names;
    }
    if (!found->is_sequence()) {
      refuse(*found, std::string(key) + " must be a list");
    }
    for (const Node& item : found->items) {
      if (!item.is_scalar()) {
        refuse(item, std::string(key) + " must be a list of texts");
      }
      names.push_back(item.text);
    }
    return names;
  }

  std::vector<DeleteReason> reasons(const Node& node) const {
    std::vector<DeleteReason> reasons;
    const Node* found = node.find("reasons");
    if (!found) {
      return reasons;
    }
    if (!found->is_sequence()) {
      refuse(*found, "reasons must be a list");
    }
    for (const Node& item : found->items) {
      if (!item.is_mapping()) {
        refuse(item, "a reason must be an object");
      }
      const Node* sentence = item.find("reason");
      reasons.push_back({text(item, "target"), text(item, "code"), sentence ? sentence->text : ""});
    }
    return reasons;
  }

  ToDeleteEntry read_entry(const Node& node) const {
    static constexpr std::array<std::string_view, 6> kEditKeys{
        "tool", "model_name", "data_source", "remove", "remove_filters", "reasons"};
    static constexpr std::array<std::string_view, 4> kDeleteKeys{"tool", "model_name",
                                                                 "data_source", "reasons"};
    static constexpr std::array<std::string_view, 4> kLists{"columns", "measures", "aggregations",
                                                            "joins"};
    if (!node.is_mapping()) {
      refuse(node, "a delete entry must be an object");
    }
    const std::string tool = text(node, "tool");
    if (tool == "delete_model") {
      check_keys(node, kDeleteKeys);
      return WholeModelDelete{text(node, "model_name"), text(node, "data_source"), reasons(node)};
    }
    if (tool != "edit_model") {
      refuse(node, "tool '" + tool + "' must be edit_model or delete_model");
    }
    check_keys(node, kEditKeys);
    EditModelDelete entry{text(node, "model_name"), text(node, "data_source"), {}, {}, {}};
    if (const Node* remove = node.find("remove")) {
      check_keys(*remove, kLists);
      entry.remove = {names(*remove, "columns"), names(*remove, "measures"),
                      names(*remove, "aggregations"), names(*remove, "joins")};
    }
    entry.remove_filters = names(node, "remove_filters");
    entry.reasons = reasons(node);
    return entry;
  }

  const document::Document& document_;
};

}  // namespace

std::string tool_of(const ToDeleteEntry& entry) {
  return std::holds_alternative<EditModelDelete>(entry) ? "edit_model" : "delete_model";
}

Json to_json(const ToDeleteEntry& entry) {
  Json json;
  json.set("tool", tool_of(entry));
  json.set("model_name", model_name(entry));
  json.set("data_source", data_source(entry));
  if (const auto* edit = std::get_if<EditModelDelete>(&entry)) {
    Json remove;
    remove.set("columns", names_json(edit->remove.columns));
    remove.set("measures", names_json(edit->remove.measures));
    remove.set("aggregations", names_json(edit->remove.aggregations));
    remove.set("joins", names_json(edit->remove.joins));
    json.set("remove", std::move(remove));
    json.set("remove_filters", names_json(edit->remove_filters));
  }
  json.set("reasons", reasons_json(reasons(entry)));
  return json;
}

Json to_json(const std::vector<ToDeleteEntry>& entries) {
  Json list = Json::array();
  for (const ToDeleteEntry& entry : entries) {
    list.push(to_json(entry));
  }
  return list;
}

std::vector<ToDeleteEntry> read_entries(const std::string& file, std::string text) {
  const document::Document document =
      document::read_document(file, std::move(text), document::Format::Json);
  if (!document.problems.empty()) {
    throw Error(document.problems.front());
  }
  return EntryReader(document).read();
}

const std::string& model_name(const ToDeleteEntry& entry) {
  return std::visit([](const auto& value) -> const std::string& { return value.model_name; },
                    entry);
}
const std::string& data_source(const ToDeleteEntry& entry) {
  return std::visit([](const auto& value) -> const std::string& { return value.data_source; },
                    entry);
}
const std::vector<DeleteReason>& reasons(const ToDeleteEntry& entry) {
  return std::visit(
      [](const auto& value) -> const std::vector<DeleteReason>& { return value.reasons; }, entry);
}

}  // namespace kedge::models
