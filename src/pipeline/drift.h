// The watch on reads without a contract (spec/contracts.md 10): what was landed against the
// accepted baseline. Only a first sight or a changed read moves a baseline here.
#pragma once

#include <optional>
#include <string>

#include "pipeline/engine.h"
#include "pipeline/land.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

struct DriftOutcome {
  std::optional<contracts::Shape> observed;  // nothing under ignore or with a contract
  std::optional<DriftRecord> drift;
  std::optional<Problem> failure;  // PZ0331 under fail
};

struct DriftRequest {
  const ReadSpec& read;
  std::string node_id;
  const std::vector<contracts::ShapeColumn>& landed;
  const contracts::Baselines& known;  // as the run read them at its start
};

DriftOutcome watch_drift(const Engine& engine, State& state, const DriftRequest& request);

}  // namespace kedge::pipeline
