#include "contracts/baseline.h"

#include <algorithm>

#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

using document::Json;
using document::Node;

const ShapeColumn* find(const std::vector<ShapeColumn>& columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ShapeColumn& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::string member(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr && value->is_string() ? value->text : std::string();
}

[[noreturn]] void fail_unreadable(const std::string& file, const std::string& why,
                                  std::optional<Position> where) {
  throw Error(Problem{codes::PZ0101,
                      "the baseline file " + file + " cannot be read: " + why,
                      std::move(where),
                      "restore it from a copy, or remove it to have every baseline seeded again",
                      {}});
}

}  // namespace

std::string to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Added:
      return "added";
    case ChangeKind::Removed:
      return "removed";
    case ChangeKind::Retyped:
      return "retyped";
    case ChangeKind::Native:
      return "native";
  }
  return "";
}

std::string change_text(const ShapeChange& change) {
  const std::string column = "column '" + change.column + "' ";
  const std::string from = change.from.value_or("");
  const std::string to = change.to.value_or("");
  switch (change.kind) {
    case ChangeKind::Added:
      return column + "added (" + to + ")";
    case ChangeKind::Removed:
      return column + "removed (was " + from + ")";
    case ChangeKind::Retyped:
      return column + "retyped " + from + " -> " + to;
    case ChangeKind::Native:
      return column + "native type " + from + " -> " + to;
  }
  return column;
}

std::string changes_text(const std::vector<ShapeChange>& changes) {
  std::string text;
  for (const ShapeChange& change : changes) {
    text += (text.empty() ? "" : "; ") + change_text(change);
  }
  if (const std::optional<RenameGuess> guess = guess_rename(changes)) {
    text += " (perhaps '" + guess->from + "' was renamed to '" + guess->to + "')";
  }
  return text;
}

Json change_json(const ShapeChange& change) {
  Json json;
  json.set("kind", to_string(change.kind));
  json.set("column", change.column);
  json.set("from", change.from ? Json(*change.from) : Json());
  json.set("to", change.to ? Json(*change.to) : Json());
  return json;
}

std::vector<ShapeChange> compare_shapes(const std::vector<ShapeColumn>& baseline,
                                        const std::vector<ShapeColumn>& observed) {
  std::vector<ShapeChange> changes;
  for (const ShapeColumn& column : observed) {
    if (find(baseline, column.name) == nullptr) {
      changes.push_back({ChangeKind::Added, column.name, std::nullopt, column.type});
    }
  }
  for (const ShapeColumn& column : baseline) {
    const ShapeColumn* now = find(observed, column.name);
    if (now == nullptr) {
      changes.push_back({ChangeKind::Removed, column.name, column.type, std::nullopt});
    } else if (now->type != column.type) {
      changes.push_back({ChangeKind::Retyped, column.name, column.type, now->type});
    }
  }
  return changes;
}

std::vector<ShapeChange> compare_natives(const std::vector<ShapeColumn>& baseline,
                                         const std::vector<ShapeColumn>& observed) {
  std::vector<ShapeChange> changes;
  for (const ShapeColumn& column : baseline) {
    const ShapeColumn* now = find(observed, column.name);
    if (now != nullptr && now->type == column.type && column.native && now->native &&
        *column.native != *now->native) {
      changes.push_back({ChangeKind::Native, column.name, column.native, now->native});
    }
  }
  return changes;
}

std::optional<RenameGuess> guess_rename(const std::vector<ShapeChange>& changes) {
  const ShapeChange* added = nullptr;
  const ShapeChange* removed = nullptr;
  for (const ShapeChange& change : changes) {
    const ShapeChange*& slot = change.kind == ChangeKind::Added ? added : removed;
    if (change.kind != ChangeKind::Added && change.kind != ChangeKind::Removed) {
      continue;
    }
    if (slot != nullptr) {
      return std::nullopt;
    }
    slot = &change;
  }
  if (added == nullptr || removed == nullptr || added->to != removed->from) {
    return std::nullopt;
  }
  return RenameGuess{removed->column, added->column};
}

Json to_json(const Shape& shape) {
  Json columns = Json::array();
  for (const ShapeColumn& column : shape.columns) {
    Json item;
    item.set("name", column.name);
    item.set("type", column.type);
    item.set("native", column.native ? Json(*column.native) : Json());
    columns.push(std::move(item));
  }
  Json json;
  json.set("columns", std::move(columns));
  json.set("read_hash", shape.read_hash);
  return json;
}

Json to_json(const Baselines& baselines) {
  Json json = Json::object();
  for (const auto& [entity, baseline] : baselines) {
    Json item = Json::object();
    item.set("at", baseline.at);
    const Json shape = to_json(baseline.shape);
    item.set("columns", *shape.find("columns"));
    item.set("read_hash", baseline.shape.read_hash);
    item.set("run_id", baseline.run_id);
    item.set("source", baseline.source);
    json.set(entity, std::move(item));
  }
  return json;
}

std::optional<Shape> read_shape(const Node& node) {
  const Node* columns = node.find("columns");
  if (columns == nullptr || !columns->is_sequence()) {
    return std::nullopt;
  }
  Shape shape;
  shape.read_hash = member(node, "read_hash");
  for (const Node& item : columns->items) {
    ShapeColumn column;
    column.name = member(item, "name");
    column.type = member(item, "type");
    if (const Node* native = item.find("native"); native != nullptr && native->is_string()) {
      column.native = native->text;
    }
    if (column.type.empty()) {
      return std::nullopt;
    }
    shape.columns.push_back(std::move(column));
  }
  return shape;
}

Baselines read_baselines(const std::string& file, const std::string& text) {
  const document::Document document = document::read_document(file, text, document::Format::Json);
  if (!document.problems.empty()) {
    fail_unreadable(file, document.problems.front().message, document.problems.front().where);
  }
  if (!document.root.is_mapping()) {
    fail_unreadable(file, "it is no JSON object", document.position(document.root));
  }
  Baselines baselines;
  for (const document::Entry& entry : document.root.entries) {
    const std::optional<Shape> shape = read_shape(entry.value);
    if (!shape) {
      fail_unreadable(file, "the entry of '" + entry.key.text + "' has no columns",
                      document.position(entry.key));
    }
    baselines[entry.key.text] = {*shape, member(entry.value, "run_id"),
                                 member(entry.value, "source"), member(entry.value, "at")};
  }
  return baselines;
}

Acceptance accept(const Baselines& baselines, const AcceptRequest& request) {
  Acceptance result;
  result.baselines = baselines;
  std::vector<Observation> observed = request.observed;
  std::sort(observed.begin(), observed.end(),
            [](const Observation& a, const Observation& b) { return a.entity < b.entity; });
  for (const Observation& observation : observed) {
    const bool wanted =
        request.targets.empty() || std::find(request.targets.begin(), request.targets.end(),
                                             observation.entity) != request.targets.end();
    if (!wanted) {
      continue;
    }
    const auto found = baselines.find(observation.entity);
    const std::vector<ShapeColumn> before =
        found == baselines.end() ? std::vector<ShapeColumn>{} : found->second.shape.columns;
    std::vector<ShapeChange> changes = compare_shapes(before, observation.shape.columns);
    const std::vector<ShapeChange> natives = compare_natives(before, observation.shape.columns);
    changes.insert(changes.end(), natives.begin(), natives.end());
    if (changes.empty()) {
      continue;
    }
    for (ShapeChange& change : changes) {
      result.changes.push_back({observation.entity, std::move(change)});
    }
    result.entities.push_back(observation.entity);
    result.baselines[observation.entity] = {observation.shape, request.run_id, "accept",
                                            request.at};
  }
  return result;
}

}  // namespace kedge::contracts
