// One run (spec/contracts.md 8): land, transform, check, write. Nodes start when all their parents
// have ended well; independent branches go on after a failure; the record is rewritten after every
// node.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kedge/finding.h"
#include "pipeline/engine.h"
#include "pipeline/graph.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

enum class RunMode { Run, Test };  // Test: writes are left out
enum class Refresh { Incremental, Full };
enum class OnFailure { GoOn, Stop };

struct RunRequest {
  std::vector<std::size_t> nodes;  // indices into the graph, ascending
  std::string selection;           // as it is recorded
  RunMode mode = RunMode::Run;
  Refresh refresh = Refresh::Incremental;
  OnFailure on_failure = OnFailure::GoOn;
  std::optional<RunRecord> retry_of;
};

struct RunListener {
  std::function<void(const NodeRecord&)> on_node = [](const NodeRecord&) {};
  std::function<void(const std::string&)> on_line = [](const std::string&) {};
  std::function<void(const Finding&)> on_warning = [](const Finding&) {};
  EventLog::Stream on_event;
  const std::atomic<int>* stop = nullptr;  // set by a signal handler
};

RunRecord execute_run(const World& world, std::shared_ptr<const Workspace> workspace,
                      const FlowGraph& graph, const RunRequest& request,
                      const RunListener& listener);

}  // namespace kedge::pipeline
