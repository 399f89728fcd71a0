// `sync:` of a read (spec/contracts.md 17.1).
#include <algorithm>

#include "base/text.h"
#include "contracts/check.h"
#include "contracts/node_reader.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"

namespace kedge::pipeline {
namespace {

using document::Node;

void check_windows(const Node& mapping, const contracts::NodeReader& reader, Cursor& cursor) {
  const auto text = [&](std::string_view key) {
    const Node* node = mapping.find(key);
    return node == nullptr ? std::string() : reader.text(*node, key).value_or("");
  };
  cursor.initial = text("initial");
  cursor.until = text("until");
  cursor.max_window = text("max_window");
  for (const std::string_view key : {"until", "initial", "max_window"}) {
    if (const Node* node = mapping.find(key)) {
      cursor.window_where = reader.place(*node);
    }
  }
  if (!cursor.max_window.empty() && cursor.initial.empty()) {
    reader.with(codes::PZ0213)
        .problem(*mapping.find("max_window"), "sync: max_window needs initial: to start from");
  }
}

}  // namespace

Sync read_sync(const std::string& file, const document::Entry& entry, const std::string& entity,
               std::vector<Problem>& problems) {
  Sync sync;
  const contracts::NodeReader reader(file, codes::PZ0334, problems);
  const Node& mapping = entry.value;
  const std::string name = "entity '" + entity + "': sync";
  if (!mapping.is_mapping()) {
    reader.problem(mapping, name + ": needs a mapping such as {mode: incremental, cursor: COLUMN}");
    return sync;
  }
  reader.refuse_unknown(mapping, {"mode", "cursor", "max_window", "initial", "until"}, name);
  static const std::vector<std::string> kModes = {"incremental", "auto", "cdc"};
  const Node* mode = mapping.find("mode");
  const std::string word = mode != nullptr && mode->is_scalar() ? mode->text : "auto";
  if (mode != nullptr && std::find(kModes.begin(), kModes.end(), word) == kModes.end()) {
    reader.problem(*mode, name + ": mode '" + word + "' is not incremental, auto or cdc" +
                              base::did_you_mean(word, kModes));
    return sync;
  }
  sync.change_capture = word == "cdc";
  const Node* cursor = mapping.find("cursor");
  if (word != "incremental") {
    return sync;
  }
  if (cursor == nullptr) {
    reader.problem(entry.key, name + ": mode incremental needs a cursor: column");
    return sync;
  }
  Cursor found;
  found.column = reader.text(*cursor, "cursor").value_or("");
  found.where = reader.place(*cursor);
  check_windows(mapping, reader, found);
  if (!found.column.empty()) {
    sync.cursor = std::move(found);
  }
  return sync;
}

}  // namespace kedge::pipeline
