// A generic directed graph over small integers: topological order with a stable tie-break, and
// cycles. It has no idea what its nodes are.
#pragma once

#include <cstddef>
#include <vector>

namespace kedge::base {

class Graph {
 public:
  explicit Graph(std::size_t nodes) : out_(nodes) {}
  // `before` comes before `after` in the order. Duplicate edges are harmless.
  void add_edge(std::size_t before, std::size_t after);
  std::size_t size() const { return out_.size(); }
  const std::vector<std::size_t>& successors(std::size_t node) const { return out_[node]; }

 private:
  std::vector<std::vector<std::size_t>> out_;
};

struct TopologicalOrder {
  std::vector<std::size_t> order;   // every node; those on cycles too, lowest number first
  std::vector<std::size_t> cyclic;  // nodes that lie on a cycle, ascending
};

// Of the nodes that are ready the lowest number goes first, so the order is stable.
TopologicalOrder sort_topologically(const Graph& graph);

// Strongly connected components in reverse topological order; nodes ascending in each.
std::vector<std::vector<std::size_t>> strong_components(const Graph& graph);

}  // namespace kedge::base
