// The end of a run: a cursor moves only when every write below its load has committed
// (spec/contracts.md 17.4).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/node_run.h"
#include "pipeline/state.h"

namespace kedge::pipeline {

struct DeliveryRequest {
  const Engine& engine;
  const FlowGraph& graph;
  State& state;
  RunMemory& memory;
  std::function<bool(std::size_t)> succeeded;  // a node of the graph, in this run
};

// Stores the delivered cursors. Gives the entities whose cursor another run has moved in the
// meantime, with PZ0520; theirs is kept. What cannot be stored is a note (PZ0527).
std::vector<std::pair<std::string, Problem>> deliver_cursors(const DeliveryRequest& request);

}  // namespace kedge::pipeline
