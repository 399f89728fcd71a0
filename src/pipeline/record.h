// The run record (spec/contracts.md 8.4, 12.7, 16.6) as values and as JSON in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contracts/baseline.h"
#include "contracts/write_policy.h"
#include "document/json.h"

namespace kedge::pipeline {

enum class RunStatus { Running, Success, CompletedWithFailures, Interrupted, Fatal };
enum class NodeStatus { Pending, Success, Failed, Skipped };
std::string to_string(RunStatus status);
std::string to_string(NodeStatus status);

struct ErrorRecord {
  std::string code;
  std::string message;
};

struct DriftRecord {
  std::string policy;
  std::vector<contracts::ShapeChange> changes;
};

struct WatermarkRecord {
  std::string cursor;
  std::string type;
  std::string value;
};

struct NodeRecord {
  std::string id;
  std::string kind;
  std::string name;
  NodeStatus status = NodeStatus::Pending;
  std::string connection;
  std::string entity;
  std::int64_t rows = 0;
  std::int64_t duration_ms = 0;
  std::optional<ErrorRecord> error;
  std::optional<contracts::Shape> observed;
  std::optional<DriftRecord> drift;
  std::optional<WatermarkRecord> watermark;
  std::int64_t quarantined = 0;
  std::string provenance;  // "reused", "carried_forward"
};

struct CheckRecord {
  std::string name;
  std::string on;
  std::string type;
  std::vector<std::string> columns;
  std::string severity;
  std::string status;  // pass, fail, warn, error, skipped
  std::int64_t violations = 0;
  std::int64_t rows = 0;
  std::string detail;
};

struct WriteRecord {
  std::string target;
  std::string strategy;
  std::string policy;
  std::int64_t rows = 0;
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t deleted = 0;
  bool created = false;
  std::vector<contracts::Alteration> alterations;
};

struct RunRecord {
  std::string run_id;
  RunStatus status = RunStatus::Running;
  std::string started_at;
  std::string finished_at;
  std::string selection;
  std::vector<NodeRecord> nodes;
  std::vector<CheckRecord> checks;
  std::vector<WriteRecord> writes;
  bool abandoned = false;  // a node that did not stop is still busy in this process; not kept

  std::int64_t count(NodeStatus wanted) const;
  const NodeRecord* find(const std::string& name) const;
};

document::Json to_json(const RunRecord& record);
document::Json to_json(const CheckRecord& record);
document::Json to_json(const std::vector<contracts::Alteration>& alterations);
// Throws PZ0101 naming the file.
RunRecord read_record(const std::string& file, const std::string& text);

}  // namespace kedge::pipeline
