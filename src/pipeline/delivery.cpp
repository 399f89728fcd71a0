#include "pipeline/delivery.h"

#include <algorithm>
#include <set>

#include "kedge/codes.h"
#include "pipeline/capture.h"

namespace kedge::pipeline {
namespace {

using Delivered = std::map<std::size_t, WatermarkRecord>;  // by read

// All writes below the load, through every node of the graph.
std::vector<std::size_t> writes_below(const FlowGraph& graph, std::size_t load) {
  std::set<std::size_t> below = {load};
  std::vector<std::size_t> writes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& parents = graph.nodes[i].parents;
    if (std::any_of(parents.begin(), parents.end(),
                    [&](std::size_t parent) { return below.contains(parent); })) {
      below.insert(i);
      if (graph.nodes[i].kind == NodeKind::Write) {
        writes.push_back(i);
      }
    }
  }
  return writes;
}

bool is_delivered(const DeliveryRequest& request, std::size_t read) {
  for (std::size_t i = 0; i < request.graph.nodes.size(); ++i) {
    const GraphNode& node = request.graph.nodes[i];
    if (node.kind == NodeKind::Source && node.index == read) {
      const std::vector<std::size_t> writes = writes_below(request.graph, i);
      return !writes.empty() && std::all_of(writes.begin(), writes.end(), request.succeeded);
    }
  }
  return false;
}

bool is_untouched(const RunMemory& memory, const Cursors& now, const std::string& label) {
  const auto stored = now.find(label);
  const auto before = memory.cursors.find(label);
  return before == memory.cursors.end() ? stored == now.end()
                                        : stored != now.end() && stored->second == before->second;
}

// The server of a captured table may forget what was delivered. If it cannot be told now, the next
// run reads the same changes again.
void release_captured(const Engine& engine, const Delivered& delivered) {
  for (const auto& [read, candidate] : delivered) {
    const ReadSpec& spec = engine.workspace().reads[read];
    if (spec.change_capture) {
      release_changes(engine, spec, candidate.value);
    }
  }
}

}  // namespace

std::vector<std::pair<std::string, Problem>> deliver_cursors(const DeliveryRequest& request) {
  std::vector<std::pair<std::string, Problem>> lost;
  Delivered delivered;
  for (const auto& [read, candidate] : request.memory.candidates) {
    if (is_delivered(request, read)) {
      delivered[read] = candidate;
    }
  }
  if (delivered.empty()) {
    return lost;
  }
  const Engine& engine = request.engine;
  try {
    const auto lock = request.state.lock(60);
    Cursors cursors = request.state.cursors();
    const std::string at = base::format_utc(engine.world().clock.now_milliseconds());
    for (auto found = delivered.begin(); found != delivered.end();) {
      const std::string& label = engine.workspace().reads[found->first].label;
      if (is_untouched(request.memory, cursors, label)) {
        const WatermarkRecord& candidate = found->second;
        cursors[label] = {candidate.cursor, candidate.type, candidate.value, engine.run_id(), at};
        ++found;
        continue;
      }
      Problem problem;
      problem.code = codes::PZ0520;
      problem.message =
          "entity '" + label + "': its cursor was moved by another run in the meantime and is kept";
      lost.emplace_back(label, std::move(problem));
      found = delivered.erase(found);
    }
    request.state.store(cursors);
    release_captured(engine, delivered);
  } catch (const Error& error) {
    Problem problem;
    problem.code = codes::PZ0527;
    problem.message =
        "the data was delivered, but a cursor could not be stored or a slot not moved on: " +
        error.problem().message;
    engine.warn(std::move(problem), Severity::Note);
  }
  return lost;
}

}  // namespace kedge::pipeline
