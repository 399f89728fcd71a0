// Which nodes a command works on (spec/contracts.md 7).
#include <algorithm>
#include <functional>

#include "base/glob.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/graph.h"

namespace kedge::pipeline {
namespace {

using Members = std::set<std::size_t>;

Members ancestors_of(const FlowGraph& graph, const Members& from) {
  Members found = from;
  std::vector<std::size_t> open(from.begin(), from.end());
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (const std::size_t parent : graph.nodes[next].parents) {
      if (found.insert(parent).second) {
        open.push_back(parent);
      }
    }
  }
  return found;
}

// Nodes are in topological order, so one pass is enough.
Members descendants_of(const FlowGraph& graph, const Members& from) {
  Members found = from;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::size_t parent : graph.nodes[i].parents) {
      if (found.contains(parent)) {
        found.insert(i);
      }
    }
  }
  return found;
}

Members match(const FlowGraph& graph, const std::function<bool(const GraphNode&)>& wanted) {
  Members found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (wanted(graph.nodes[i])) {
      found.insert(i);
    }
  }
  return found;
}

std::vector<std::string> flow_names(const FlowGraph& graph) {
  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes) {
    if (node.kind == NodeKind::Pipeline) {
      names.push_back(node.name);
    }
  }
  return names;
}

[[noreturn]] void fail_unmatched(const FlowGraph& graph, const std::string& part) {
  const std::vector<std::string> known = flow_names(graph);
  throw Error(codes::PZ0210, "nothing matches '" + part + "'" + base::did_you_mean(part, known),
              known.empty() ? "" : "known flows: " + base::join(known, ", "));
}

// One part without commas and blanks: +name+, tag:x, source:conn.entity.
Members match_part(const FlowGraph& graph, const std::string& part) {
  std::string_view text = part;
  const bool up = text.starts_with('+');
  text.remove_prefix(up ? 1 : 0);
  const bool down = text.ends_with('+');
  text.remove_suffix(down ? 1 : 0);
  Members found = match(graph, [&](const GraphNode& node) {
    if (text.starts_with("tag:")) {
      const auto& tags = node.tags;
      return std::find(tags.begin(), tags.end(), text.substr(4)) != tags.end();
    }
    if (text.starts_with("source:")) {
      return node.kind == NodeKind::Source &&
             base::matches_glob(text.substr(7), node.connection + "." + node.entity);
    }
    return !node.unread && base::matches_glob(text, node.name);
  });
  if (found.empty()) {
    fail_unmatched(graph, part);
  }
  const Members base = found;
  if (up) {
    found.merge(ancestors_of(graph, base));
  }
  if (down) {
    found.merge(descendants_of(graph, base));
  }
  return found;
}

Members match_selector(const FlowGraph& graph, const std::string& selector) {
  Members all;
  std::vector<std::string> words;
  for (const std::string& word : base::split(selector, ' ')) {
    if (!base::trim(word).empty()) {
      words.emplace_back(base::trim(word));
    }
  }
  if (words.empty()) {
    throw Error(codes::PZ0210, "the selection is empty");
  }
  for (const std::string& word : words) {
    const std::vector<std::string> parts = base::split(word, ',');
    Members both = match_part(graph, parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const Members other = match_part(graph, parts[i]);
      Members common;
      std::set_intersection(both.begin(), both.end(), other.begin(), other.end(),
                            std::inserter(common, common.begin()));
      both = std::move(common);
    }
    if (both.empty()) {
      fail_unmatched(graph, word);
    }
    all.merge(both);
  }
  return all;
}

// Checks of what is selected come with it, since they gate what is behind them.
void add_checks(const FlowGraph& graph, Members& members) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (node.kind == NodeKind::Check && members.contains(node.parents.at(0)) &&
        node.subject != CheckSubject::Write) {
      members.insert(i);
    }
  }
}

Members everything(const FlowGraph& graph) {
  return match(graph, [](const GraphNode& node) { return !node.unread; });
}

// The smallest node of the connected part that each node lies in.
std::vector<std::size_t> flows_of(const FlowGraph& graph) {
  std::vector<std::size_t> flow(graph.nodes.size());
  for (std::size_t i = 0; i < flow.size(); ++i) {
    flow[i] = i;
  }
  const std::function<std::size_t(std::size_t)> root = [&](std::size_t i) {
    while (flow[i] != i) {
      i = flow[i];
    }
    return i;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::size_t parent : graph.nodes[i].parents) {
      const std::size_t a = root(i);
      const std::size_t b = root(parent);
      flow[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t i = 0; i < flow.size(); ++i) {
    flow[i] = root(i);
  }
  return flow;
}

Members only_flow(const FlowGraph& graph) {
  const std::vector<std::size_t> flow = flows_of(graph);
  std::set<std::size_t> flows;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].unread && graph.nodes[i].kind == NodeKind::Pipeline &&
        flows.insert(flow[i]).second) {
      names.push_back(graph.nodes[i].name);
    }
  }
  if (flows.size() > 1) {
    throw Error(codes::PZ0215,
                "the project has " + std::to_string(flows.size()) +
                    " independent flows: " + base::join(names, ", "),
                "name one of them, or use --all");
  }
  return everything(graph);
}

}  // namespace

std::string to_string(const Selection& selection) {
  if (selection.scope == Scope::All) {
    return "--all";
  }
  if (!selection.select.empty()) {
    return "--select " + base::join(selection.select, " --select ");
  }
  return base::join(selection.names, " ");
}

std::vector<std::size_t> select_nodes(const FlowGraph& graph, const Selection& selection) {
  const int ways = (selection.names.empty() ? 0 : 1) + (selection.select.empty() ? 0 : 1) +
                   (selection.scope == Scope::All ? 1 : 0);
  if (ways > 1) {
    throw Error(codes::PZ0216, "names, --select and --all exclude each other");
  }
  Members members;
  for (const std::string& name : selection.names) {
    const Members named = match_part(graph, name);
    members.merge(ancestors_of(graph, named));
    members.merge(descendants_of(graph, named));
  }
  for (const std::string& selector : selection.select) {
    members.merge(match_selector(graph, selector));
  }
  if (ways == 0) {
    members = only_flow(graph);
  } else if (selection.scope == Scope::All) {
    members = everything(graph);
  } else {
    members = ancestors_of(graph, members);
    add_checks(graph, members);
  }
  return {members.begin(), members.end()};
}

}  // namespace kedge::pipeline
