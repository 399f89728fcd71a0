#include "base/graph.h"

#include <gtest/gtest.h>

namespace kedge::base {
namespace {

using Nodes = std::vector<std::size_t>;

TEST(Topological, LowestReadyNodeFirst) {
  Graph graph(4);
  graph.add_edge(3, 0);
  graph.add_edge(2, 1);
  EXPECT_EQ(sort_topologically(graph).order, (Nodes{2, 1, 3, 0}));
}

TEST(Topological, NodesOfACycleAreNamed) {
  Graph graph(4);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  graph.add_edge(2, 3);
  EXPECT_EQ(sort_topologically(graph).cyclic, (Nodes{1, 2}));
}

TEST(Topological, ASelfLoopIsACycle) {
  Graph graph(1);
  graph.add_edge(0, 0);
  EXPECT_EQ(sort_topologically(graph).cyclic, (Nodes{0}));
}

TEST(StrongComponents, ALongChainNeedsNoMachineStack) {
  constexpr std::size_t kLength = 200000;
  Graph graph(kLength);
  for (std::size_t node = 0; node + 1 < kLength; ++node) {
    graph.add_edge(node, node + 1);
  }
  EXPECT_EQ(strong_components(graph).size(), kLength);
}

}  // namespace
}  // namespace kedge::base
