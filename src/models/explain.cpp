#include "models/explain.h"

#include <set>
#include <unordered_map>
#include <utility>

#include "models/drop_reasons.h"

namespace kedge::models {
namespace {

// The dead thing that a dependency needed; kNoNode when it never existed.
NodeId find_cause(const DropGraph& graph, const std::vector<char>& dead,
                  const Dependency& dependency) {
  if (dependency.leaf != kNoNode && dead[dependency.leaf] != 0) {
    return dependency.leaf;
  }
  if (dependency.aggregation != kNoNode && dead[dependency.aggregation] != 0) {
    return dependency.aggregation;
  }
  // Along the path the last dead step is the nearest one: a model rather than the join to it.
  NodeId cause = kNoNode;
  for (std::uint32_t step = dependency.path_begin; step < dependency.path_end; ++step) {
    const NodeId id = graph.path_nodes[step];
    if (dead[id] != 0 && (cause == kNoNode || graph.nodes[id].kind == NodeKind::Join)) {
      cause = id;
    }
  }
  return cause;
}

void explain_source(const SourceIndex& index, const LiveSource& live, const CascadeOptions& options,
                    std::vector<ExplainedDrop>& drops) {
  const DropGraph graph = build_drop_graph(index, options.depth, options.accepted);
  const std::vector<char> dead = find_dead_nodes(graph);
  const DropReasons reasons(index, graph, dead);
  std::unordered_map<NodeId, std::size_t> numbers;
  std::vector<NodeId> ids;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const DropNode& node = graph.nodes[id];
    const IndexedModel& model = index.models()[node.model];
    const NodeId whole = node_of(graph, index, node.model, NodeKind::Model, kNone);
    const bool covered = node.kind != NodeKind::Model &&
                         (dead[whole] != 0 || model.model().mode() == SourceMode::Queries);
    if (dead[id] == 0 || covered || !in_scope(options.scope, *model.loaded, live)) {
      continue;
    }
    numbers.emplace(id, drops.size());
    ids.push_back(id);
    drops.push_back({model.loaded->id(), reasons.reason(id), std::nullopt});
  }
  for (const NodeId id : ids) {
    const Dependency* dependency = reasons.cause(id);
    if (!dependency) {
      continue;
    }
    NodeId cause = find_cause(graph, dead, *dependency);
    if (cause != kNoNode && !numbers.contains(cause)) {
      cause = node_of(graph, index, graph.nodes[cause].model, NodeKind::Model, kNone);
    }
    const auto found = numbers.find(cause);
    if (found != numbers.end() && cause != id) {
      drops[numbers.at(id)].cause = found->second;
    }
  }
}

}  // namespace

std::vector<ExplainedDrop> explain_drops(const ModelSet& models, const LiveShapes& live,
                                         const CascadeOptions& options) {
  std::vector<ExplainedDrop> drops;
  for (const auto& [data_source, source] : live) {
    explain_source(SourceIndex(data_source, models, &source), source, options, drops);
  }
  return drops;
}

}  // namespace kedge::models
