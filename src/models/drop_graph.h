// One data source as a graph for the cascade (models.md 9): a node for each model and each item, an
// edge from what a text refers to, to the item that holds the text. Building it resolves every
// reference once; after that the fixpoint is a walk along edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/index.h"
#include "models/resolve.h"

namespace kedge::models {

enum class NodeKind : std::uint8_t { Model, Column, Measure, Aggregation, Join, Filter };

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

// One reference of an item's text: what it needs to stay alive.
struct Dependency {
  NodeId leaf = kNoNode;         // column or measure
  NodeId aggregation = kNoNode;  // a custom aggregation
  std::uint32_t path_begin = 0;  // range in DropGraph::path_nodes: joins and models along the path
  std::uint32_t path_end = 0;
  // Dead whatever happens: a live column or hop that does not exist (deep only).
  enum class Missing : std::uint8_t { No, Column, Hop };
  Missing missing = Missing::No;
  enum class Role : std::uint8_t { Text, StageSource, LocalKey, TargetKey, Target };
  Role role = Role::Text;
  bool in_filter = false;      // of a column: no part of its value
  std::uint32_t name = kNone;  // index in DropGraph::names: what was written
};

struct DropNode {
  NodeKind kind = NodeKind::Model;
  Number model = kNone;  // index in SourceIndex::models()
  Number item = kNone;   // in the model's list; kNone for the model itself
  std::uint32_t dependencies_begin = 0;
  std::uint32_t dependencies_end = 0;
  bool spares_users = false;  // a primary key column: only joins fall with it (9.7)
};

// What an item falls by without any cascade.
struct DirectDrop {
  NodeId node = kNoNode;
  std::string code;
  std::string reason;
};

enum class Depth { Declared, Deep };

// A reference of the deep check that is not there by the names; the database has the last word.
struct DeepCandidate {
  std::string source_model;  // on whose source the reference should be found
  std::string reference;     // as SQL, without hops
  std::string text_model;    // whose text holds it
  std::string text;          // the whole text, what else it refers to replaced by NULL
  bool operator==(const DeepCandidate&) const = default;
  auto operator<=>(const DeepCandidate&) const = default;
};

struct DropGraph {
  std::vector<DropNode> nodes;
  std::vector<Dependency> dependencies;
  std::vector<NodeId> path_nodes;
  std::vector<std::string> names;
  std::vector<NodeId> first_node;  // of each model: its own node; items follow by kind
  std::vector<DirectDrop> direct;  // sorted by node
  std::vector<DeepCandidate> candidates;
};

// `accepted`: deep candidates that the database has been seen to accept, sorted.
DropGraph build_drop_graph(const SourceIndex& index, Depth depth,
                           const std::vector<DeepCandidate>& accepted);

NodeId node_of(const DropGraph& graph, const SourceIndex& index, Number model, NodeKind kind,
               Number item);

}  // namespace kedge::models
