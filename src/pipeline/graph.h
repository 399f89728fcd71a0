// The graph of a project (spec/contracts.md 7, 8.1): load nodes, pipelines, checks and writes with
// their edges, and the selection of what a command works on. Edges come from calls only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pipeline/workspace.h"

namespace kedge::pipeline {

enum class NodeKind { Source, Pipeline, Check, Write };
std::string to_string(NodeKind kind);

enum class CheckSubject { Entity, Pipeline, Write };

struct GraphNode {
  NodeKind kind = NodeKind::Source;
  std::string name;
  std::string id;  // digest of kind, name and what it does
  std::vector<std::string> tags;
  std::string connection;  // sources and writes
  std::string entity;
  std::size_t index = 0;  // into reads, pipelines or writes: for checks, of their subject
  CheckSubject subject = CheckSubject::Entity;
  std::size_t check = 0;             // into the subject's checks
  std::vector<std::size_t> parents;  // must have succeeded
  std::vector<std::size_t> after;    // must have ended
  bool unread = false;               // a load that no pipeline uses
};

struct FlowGraph {
  std::vector<GraphNode> nodes;  // in topological order: parents first, then kind, then name
};

// Problems: PZ0202 for circles. Ephemeral pipelines are no nodes.
FlowGraph build_graph(const Workspace& workspace, std::vector<Problem>& problems);
// Facts that move rows away (16.5) run one after another, in the order they are declared.
bool quarantines(const std::vector<contracts::Check>& checks);
// Of the staged table of a pipeline, by its own checks or by the facts of its writes.
bool quarantines(const Workspace& workspace, std::size_t pipeline);
const contracts::Check& check_of(const Workspace& workspace, const GraphNode& node);
// All ephemeral pipelines that a pipeline uses, directly or not, are looked through.
std::vector<std::size_t> reads_of(const Workspace& workspace, std::size_t pipeline);
// Every read above a pipeline, through all its refs.
std::set<std::size_t> all_reads_of(const Workspace& workspace, std::size_t pipeline);

enum class Scope { Default, All };  // --all

struct Selection {
  std::vector<std::string> names;
  std::vector<std::string> select;  // each one occurrence of --select
  Scope scope = Scope::Default;
};
std::string to_string(const Selection& selection);

// Indices into graph.nodes, ascending. PZ0210, PZ0215, PZ0216.
std::vector<std::size_t> select_nodes(const FlowGraph& graph, const Selection& selection);

}  // namespace kedge::pipeline
