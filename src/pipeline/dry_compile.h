// Tier 4 of validate (spec/contracts.md 9.1): every pipeline's SQL prepared against empty tables
// with the shapes that are known: contracts, else accepted baselines, else the latest observation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contracts/write_policy.h"
#include "pipeline/engine.h"
#include "pipeline/graph.h"

namespace kedge::pipeline {

struct DryCompile {
  std::vector<Problem> problems;   // PZ0401, PZ0805, PZ0209
  std::vector<std::string> notes;  // entities without a known shape
  // What each pipeline gives, by its index; only those that could be compiled.
  std::map<std::size_t, std::vector<contracts::WriteColumn>> outputs;
};

DryCompile dry_compile(const World& world, const Workspace& workspace, const State& state);

}  // namespace kedge::pipeline
