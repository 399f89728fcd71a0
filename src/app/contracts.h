// The contract commands (spec/contracts.md 9, 11, 18): validation of declarations and connections,
// schema accept and show. accept and show never open a connection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/validate.h"
#include "contracts/baseline.h"
#include "kedge/finding.h"

namespace kedge::app {

void check_contracts(Context& context, const ValidateRequest& request, Validation& result);

struct AcceptRequest {
  std::vector<std::string> targets;  // "connection.entity"
  std::optional<std::string> run_id;
  std::string reason;
};
struct AcceptResult {
  std::vector<contracts::AcceptedChange> changes;
  std::vector<Problem> problems;  // every bad target (PZ0127): nothing was accepted
};
AcceptResult accept_schemas(Context& context, const AcceptRequest& request);

struct ShownSchema {
  std::string entity;
  std::optional<contracts::Baseline> baseline;
  std::optional<contracts::Shape> observed;  // of the latest run
  std::vector<contracts::ShapeChange> pending;
};
struct ShowResult {
  std::vector<ShownSchema> schemas;  // by name
  std::vector<Problem> problems;     // unknown targets
  bool pending() const;
};
ShowResult show_schemas(Context& context, const std::vector<std::string>& targets);

}  // namespace kedge::app
