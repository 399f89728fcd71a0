// The fixpoint runs over the edges "what a text refers to -> the item that holds the text", each
// taken at most once. Reasons are chosen only when it has ended, so that neither the order of the
// models nor the order of discovery shows in the result.
#include "models/cascade.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "models/drop_reasons.h"

namespace kedge::models {
namespace {

bool needs_leaf(const DropGraph& graph, const Dependency& dependency) {
  return dependency.leaf != kNoNode &&
         (dependency.role != Dependency::Role::Text || !graph.nodes[dependency.leaf].spares_users);
}

template <typename Visit>
void visit_needs(const DropGraph& graph, const Dependency& dependency, Visit&& visit) {
  if (needs_leaf(graph, dependency)) {
    visit(dependency.leaf);
  }
  if (dependency.aggregation != kNoNode) {
    visit(dependency.aggregation);
  }
  for (std::uint32_t step = dependency.path_begin; step < dependency.path_end; ++step) {
    visit(graph.path_nodes[step]);
  }
}

// Users of each node, as one array with offsets.
struct Users {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeId> users;
};

template <typename Visit>
void visit_edges(const DropGraph& graph, Visit&& visit) {
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    for (std::uint32_t number = graph.nodes[id].dependencies_begin;
         number < graph.nodes[id].dependencies_end; ++number) {
      visit_needs(graph, graph.dependencies[number], [&](NodeId needed) { visit(needed, id); });
    }
  }
}

Users find_users(const DropGraph& graph) {
  Users users;
  users.offsets.assign(graph.nodes.size() + 1, 0);
  visit_edges(graph, [&](NodeId needed, NodeId) { ++users.offsets[needed + 1]; });
  for (std::size_t id = 1; id < users.offsets.size(); ++id) {
    users.offsets[id] += users.offsets[id - 1];
  }
  users.users.resize(users.offsets.back());
  std::vector<std::uint32_t> next(users.offsets.begin(), users.offsets.end() - 1);
  visit_edges(graph, [&](NodeId needed, NodeId id) { users.users[next[needed]++] = id; });
  return users;
}

std::set<std::string> data_sources_of(const ModelSet& models) {
  std::set<std::string> names;
  for (const LoadedModel& loaded : models.models) {
    names.insert(loaded.model.data_source);
  }
  return names;
}

// Models out of scope are looked at as if nothing were known about their tables.
LiveSource scoped(const ModelSet& models, const std::string& data_source, const LiveSource& live,
                  const Scope& scope) {
  LiveSource limited = live;
  for (const LoadedModel& loaded : models.models) {
    if (loaded.model.data_source == data_source && !in_scope(scope, loaded, live)) {
      limited.models.erase(loaded.model.name);
    }
  }
  return limited;
}

void add_entries(const ModelSet& models, const std::string& data_source, const LiveSource& live,
                 const CascadeOptions& options, std::vector<ToDeleteEntry>& entries) {
  const SourceIndex index(data_source, models, &live);
  const DropGraph graph = build_drop_graph(index, options.depth, options.accepted);
  const std::vector<char> dead = find_dead_nodes(graph);
  const DropReasons reasons(index, graph, dead);
  for (Number model = 0; model < index.models().size(); ++model) {
    const IndexedModel& indexed = index.models()[model];
    if (indexed.is_opaque() || !in_scope(options.scope, *indexed.loaded, live)) {
      continue;
    }
    if (std::optional<ToDeleteEntry> entry = reasons.entry(model)) {
      entries.push_back(std::move(*entry));
    }
  }
}

}  // namespace

bool is_dead(const DropGraph& graph, const std::vector<char>& dead, const Dependency& dependency) {
  bool found = dependency.missing != Dependency::Missing::No;
  visit_needs(graph, dependency, [&](NodeId needed) { found = found || dead[needed] != 0; });
  return found;
}

std::vector<char> find_dead_nodes(const DropGraph& graph) {
  const Users users = find_users(graph);
  std::vector<char> dead(graph.nodes.size(), 0);
  std::vector<NodeId> work;
  const auto kill = [&](NodeId id) {
    if (dead[id] == 0) {
      dead[id] = 1;
      work.push_back(id);
    }
  };
  for (const DirectDrop& drop : graph.direct) {
    kill(drop.node);
  }
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    for (std::uint32_t number = graph.nodes[id].dependencies_begin;
         number < graph.nodes[id].dependencies_end; ++number) {
      if (graph.dependencies[number].missing != Dependency::Missing::No) {
        kill(id);
      }
    }
  }
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    for (std::uint32_t edge = users.offsets[id]; edge < users.offsets[id + 1]; ++edge) {
      kill(users.users[edge]);
    }
  }
  return dead;
}

std::vector<ToDeleteEntry> compute_drops(const ModelSet& models, const LiveShapes& live,
                                         const CascadeOptions& options) {
  std::vector<ToDeleteEntry> entries;
  const bool limited =
      !options.scope.include_tables.empty() || !options.scope.exclude_tables.empty();
  for (const std::string& data_source : data_sources_of(models)) {
    const auto found = live.find(data_source);
    if (found == live.end()) {
      continue;  // not looked at
    }
    if (limited) {
      add_entries(models, data_source, scoped(models, data_source, found->second, options.scope),
                  options, entries);
    } else {
      add_entries(models, data_source, found->second, options, entries);
    }
  }
  std::sort(entries.begin(), entries.end(), [](const ToDeleteEntry& a, const ToDeleteEntry& b) {
    return std::tie(data_source(a), model_name(a)) < std::tie(data_source(b), model_name(b));
  });
  return entries;
}

std::vector<DeepCandidate> find_deep_candidates(const ModelSet& models,
                                                const std::string& data_source,
                                                const LiveSource& live) {
  const SourceIndex index(data_source, models, &live);
  std::vector<DeepCandidate> candidates = build_drop_graph(index, Depth::Deep, {}).candidates;
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

}  // namespace kedge::models
