#include "pipeline/record.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

using document::Json;
using document::Node;

std::int64_t number_of(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value == nullptr ? 0 : value->as_integer().value_or(0);
}

Json drift_json(const DriftRecord& drift) {
  Json changes = Json::array();
  for (const contracts::ShapeChange& change : drift.changes) {
    changes.push(contracts::change_json(change));
  }
  Json json;
  json.set("policy", drift.policy);
  json.set("changes", std::move(changes));
  return json;
}

Json node_json(const NodeRecord& node) {
  Json json;
  json.set("id", node.id);
  json.set("kind", node.kind);
  json.set("name", node.name);
  json.set("status", to_string(node.status));
  if (!node.connection.empty()) {
    json.set("connection", node.connection);
    json.set("entity", node.entity);
  }
  json.set("rows", node.rows);
  json.set("duration_ms", node.duration_ms);
  if (node.error) {
    Json error;
    error.set("code", node.error->code);
    error.set("message", node.error->message);
    json.set("error", std::move(error));
  }
  if (node.observed) {
    json.set("observed_schema", contracts::to_json(*node.observed));
  }
  if (node.drift) {
    json.set("drift", drift_json(*node.drift));
  }
  if (node.watermark) {
    Json watermark;
    watermark.set("cursor", node.watermark->cursor);
    watermark.set("type", node.watermark->type);
    watermark.set("value", node.watermark->value);
    json.set("watermark", std::move(watermark));
  }
  if (node.quarantined > 0) {
    json.set("quarantined", node.quarantined);
  }
  if (!node.provenance.empty()) {
    json.set("provenance", node.provenance);
  }
  return json;
}

Json write_json(const WriteRecord& write) {
  Json json;
  json.set("target", write.target);
  json.set("strategy", write.strategy);
  json.set("policy", write.policy);
  json.set("rows", write.rows);
  json.set("inserted", write.inserted);
  json.set("updated", write.updated);
  json.set("deleted", write.deleted);
  json.set("created", write.created);
  json.set("alterations", to_json(write.alterations));
  return json;
}

NodeStatus node_status(const std::string& text) {
  if (text == "success") {
    return NodeStatus::Success;
  }
  if (text == "failed") {
    return NodeStatus::Failed;
  }
  return text == "skipped" ? NodeStatus::Skipped : NodeStatus::Pending;
}

RunStatus run_status(const std::string& text) {
  if (text == "success") {
    return RunStatus::Success;
  }
  if (text == "completed_with_failures") {
    return RunStatus::CompletedWithFailures;
  }
  if (text == "interrupted") {
    return RunStatus::Interrupted;
  }
  return text == "fatal" ? RunStatus::Fatal : RunStatus::Running;
}

NodeRecord read_node(const Node& node) {
  NodeRecord record;
  record.id = node.string_at("id");
  record.kind = node.string_at("kind");
  record.name = node.string_at("name");
  record.status = node_status(node.string_at("status"));
  record.connection = node.string_at("connection");
  record.entity = node.string_at("entity");
  record.rows = number_of(node, "rows");
  record.duration_ms = number_of(node, "duration_ms");
  record.provenance = node.string_at("provenance");
  if (const Node* error = node.find("error")) {
    record.error = ErrorRecord{error->string_at("code"), error->string_at("message")};
  }
  if (const Node* observed = node.find("observed_schema")) {
    record.observed = contracts::read_shape(*observed);
  }
  if (const Node* drift = node.find("drift")) {
    record.drift = DriftRecord{drift->string_at("policy"), {}};
  }
  if (const Node* watermark = node.find("watermark")) {
    record.watermark = WatermarkRecord{watermark->string_at("cursor"), watermark->string_at("type"),
                                       watermark->string_at("value")};
  }
  return record;
}

WriteRecord read_write(const Node& node) {
  WriteRecord record;
  record.target = node.string_at("target");
  record.strategy = node.string_at("strategy");
  record.policy = node.string_at("policy");
  record.rows = number_of(node, "rows");
  record.inserted = number_of(node, "inserted");
  record.updated = number_of(node, "updated");
  record.deleted = number_of(node, "deleted");
  const Node* created = node.find("created");
  record.created = created != nullptr && created->as_boolean().value_or(false);
  return record;
}

}  // namespace

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::Running:
      return "running";
    case RunStatus::Success:
      return "success";
    case RunStatus::CompletedWithFailures:
      return "completed_with_failures";
    case RunStatus::Interrupted:
      return "interrupted";
    case RunStatus::Fatal:
      return "fatal";
  }
  return "";
}

std::string to_string(NodeStatus status) {
  switch (status) {
    case NodeStatus::Pending:
      return "pending";
    case NodeStatus::Success:
      return "success";
    case NodeStatus::Failed:
      return "failed";
    case NodeStatus::Skipped:
      return "skipped";
  }
  return "";
}

std::int64_t RunRecord::count(NodeStatus wanted) const {
  return std::count_if(nodes.begin(), nodes.end(),
                       [&](const NodeRecord& node) { return node.status == wanted; });
}

const NodeRecord* RunRecord::find(const std::string& name) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodeRecord& node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

Json to_json(const CheckRecord& record) {
  Json columns = Json::array();
  for (const std::string& column : record.columns) {
    columns.push(column);
  }
  Json json;
  json.set("name", record.name);
  json.set("on", record.on);
  json.set("type", record.type);
  json.set("columns", std::move(columns));
  json.set("severity", record.severity);
  json.set("status", record.status);
  json.set("violations", record.violations);
  json.set("rows", record.rows);
  json.set("detail", record.detail);
  return json;
}

Json to_json(const std::vector<contracts::Alteration>& alterations) {
  Json list = Json::array();
  for (const contracts::Alteration& alteration : alterations) {
    Json item;
    item.set("kind", contracts::to_string(alteration.kind));
    item.set("column", alteration.column);
    item.set("from", alteration.from ? Json(*alteration.from) : Json());
    item.set("to", alteration.to);
    if (!alteration.statement) {
      item.set("statement", nullptr);
    }
    list.push(std::move(item));
  }
  return list;
}

Json to_json(const RunRecord& record) {
  Json nodes = Json::array();
  for (const NodeRecord& node : record.nodes) {
    nodes.push(node_json(node));
  }
  Json checks = Json::array();
  for (const CheckRecord& check : record.checks) {
    checks.push(to_json(check));
  }
  Json writes = Json::array();
  for (const WriteRecord& write : record.writes) {
    writes.push(write_json(write));
  }
  Json json;
  json.set("version", 1);
  json.set("run_id", record.run_id);
  json.set("status", to_string(record.status));
  json.set("started_at", record.started_at);
  if (!record.finished_at.empty()) {
    json.set("finished_at", record.finished_at);
  }
  json.set("selection", record.selection);
  json.set("nodes", std::move(nodes));
  json.set("checks", std::move(checks));
  json.set("writes", std::move(writes));
  return json;
}

RunRecord read_record(const std::string& file, const std::string& text) {
  const document::Document document = document::read_document(file, text, document::Format::Json);
  const Node* nodes = document.root.find("nodes");
  if (!document.problems.empty() || nodes == nullptr) {
    throw Error(Problem{codes::PZ0101,
                        "the run record " + file + " cannot be read",
                        document.problems.empty() ? std::nullopt : document.problems.front().where,
                        "",
                        {}});
  }
  RunRecord record;
  record.run_id = document.root.string_at("run_id");
  record.status = run_status(document.root.string_at("status"));
  record.started_at = document.root.string_at("started_at");
  record.finished_at = document.root.string_at("finished_at");
  record.selection = document.root.string_at("selection");
  for (const Node& node : nodes->items) {
    record.nodes.push_back(read_node(node));
  }
  if (const Node* writes = document.root.find("writes")) {
    for (const Node& write : writes->items) {
      record.writes.push_back(read_write(write));
    }
  }
  return record;
}

}  // namespace kedge::pipeline
