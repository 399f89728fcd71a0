// Evaluating checks and facts on staged tables (spec/contracts.md 16).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/check.h"
#include "pipeline/engine.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

struct CheckRequest {
  std::string name;   // of the node
  std::string on;     // "entity:yard.containers"
  std::string label;  // "entity 'yard.containers'": for messages
  std::string table;  // staging table, unquoted
  contracts::Check check;
};

struct CheckOutcome {
  CheckRecord record;
  std::string message;           // of a violation; empty when it passed
  std::int64_t quarantined = 0;  // rows moved away
};

CheckOutcome run_check(const Engine& engine, db::Connection& staging, const CheckRequest& request);

}  // namespace kedge::pipeline
