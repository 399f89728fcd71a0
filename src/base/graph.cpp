#include "base/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace kedge::base {

void Graph::add_edge(std::size_t before, std::size_t after) {
  out_[before].push_back(after);
}

TopologicalOrder sort_topologically(const Graph& graph) {
  std::vector<std::size_t> waiting(graph.size(), 0);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    for (const std::size_t next : graph.successors(node)) {
      ++waiting[next];
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (waiting[node] == 0) {
      ready.push(node);
    }
  }
  TopologicalOrder result;
  std::vector<bool> placed(graph.size(), false);
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    result.order.push_back(node);
    placed[node] = true;
    for (const std::size_t next : graph.successors(node)) {
      if (--waiting[next] == 0) {
        ready.push(next);
      }
    }
  }
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (!placed[node]) {
      result.order.push_back(node);
    }
  }
  for (const std::vector<std::size_t>& component : strong_components(graph)) {
    const auto& out = graph.successors(component.front());
    const bool self_loop = std::find(out.begin(), out.end(), component.front()) != out.end();
    if (component.size() > 1 || self_loop) {
      result.cyclic.insert(result.cyclic.end(), component.begin(), component.end());
    }
  }
  std::sort(result.cyclic.begin(), result.cyclic.end());
  return result;
}

// Tarjan's algorithm with an explicit stack: the depth of a foreign-key chain or of a chain of
// derived columns is the user's, and must not be the machine stack's.
std::vector<std::vector<std::size_t>> strong_components(const Graph& graph) {
  constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);
  std::vector<std::size_t> index(graph.size(), kUnseen);
  std::vector<std::size_t> low(graph.size(), 0);
  std::vector<bool> on_stack(graph.size(), false);
  std::vector<std::size_t> stack;
  std::vector<std::vector<std::size_t>> components;
  struct Frame {
    std::size_t node;
    std::size_t next;
  };
  std::size_t counter = 0;
  std::vector<Frame> frames;
  const auto enter = [&](std::size_t node) {
    index[node] = low[node] = counter++;
    stack.push_back(node);
    on_stack[node] = true;
    frames.push_back({node, 0});
  };
  for (std::size_t root = 0; root < graph.size(); ++root) {
    if (index[root] != kUnseen) {
      continue;
    }
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::size_t node = frame.node;
      if (frame.next < graph.successors(node).size()) {
        const std::size_t next = graph.successors(node)[frame.next++];
        if (index[next] == kUnseen) {
          enter(next);
        } else if (on_stack[next]) {
          low[node] = std::min(low[node], index[next]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) {
        low[frames.back().node] = std::min(low[frames.back().node], low[node]);
      }
      if (low[node] == index[node]) {
        std::vector<std::size_t> component;
        std::size_t member = kUnseen;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          component.push_back(member);
        } while (member != node);
        std::sort(component.begin(), component.end());
        components.push_back(std::move(component));
      }
    }
  }
  return components;
}

}  // namespace kedge::base
