#include "pipeline/graph.h"

#include <algorithm>
#include <map>

#include "base/graph.h"
#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

std::string pipeline_digest(const Workspace& workspace, const PipelineSpec& pipeline) {
  std::string text = pipeline.text.source;
  text += "\n--materialization " + std::to_string(static_cast<int>(pipeline.materialization));
  for (const std::size_t ref : pipeline.refs) {
    if (workspace.pipelines[ref].materialization == Materialization::Ephemeral) {
      text += "\n--ephemeral " + pipeline_digest(workspace, workspace.pipelines[ref]);
    }
  }
  for (const auto& [name, value] : workspace.vars) {
    text += "\n--var " + name + "=" + document::write_json(document::to_json(value), -1);
  }
  return text;
}

std::string make_id(NodeKind kind, const std::string& name, const std::string& what) {
  return base::sha256_hex(to_string(kind) + "\n" + name + "\n" + what).substr(0, 32);
}

// Collects nodes in the order kind, name; edges by node number.
class Builder {
 public:
  explicit Builder(const Workspace& workspace) : workspace_(workspace) {}

  FlowGraph run(std::vector<Problem>& problems) {
    report_circles(problems);
    if (!problems.empty()) {
      return {};
    }
    add_sources();
    add_checks(CheckSubject::Entity);
    add_pipelines();
    add_checks(CheckSubject::Pipeline);
    add_checks(CheckSubject::Write);
    add_writes();
    connect();
    return sorted();
  }

 private:
  void report_circles(std::vector<Problem>& problems) const {
    base::Graph refs(workspace_.pipelines.size());
    for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
      for (const std::size_t ref : workspace_.pipelines[i].refs) {
        refs.add_edge(ref, i);
      }
    }
    for (const std::vector<std::size_t>& component : base::strong_components(refs)) {
      const bool circle = component.size() > 1 || refers_to(component[0], component[0]);
      if (circle) {
        problems.push_back(circle_problem(component));
      }
    }
  }

  bool refers_to(std::size_t from, std::size_t to) const {
    const auto& refs = workspace_.pipelines[from].refs;
    return std::find(refs.begin(), refs.end(), to) != refs.end();
  }

  // Walks the circle along its refs, beginning with the first name.
  Problem circle_problem(const std::vector<std::size_t>& component) const {
    std::vector<std::string> names = {workspace_.pipelines[component[0]].name};
    std::size_t at = component[0];
    std::set<std::size_t> seen = {at};
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t ref : workspace_.pipelines[at].refs) {
        const bool inside = std::find(component.begin(), component.end(), ref) != component.end();
        if (inside && seen.insert(ref).second) {
          names.push_back(workspace_.pipelines[ref].name);
          at = ref;
          moved = true;
          break;
        }
      }
    }
    names.push_back(names.front());
    return {codes::PZ0202,
            "pipelines refer to each other in a circle: " + base::join(names, " -> "),
            Position{workspace_.pipelines[component[0]].text.file, 1, 1},
            "",
            {}};
  }

  std::size_t add(GraphNode node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  template <class T, class Name>
  static std::vector<std::size_t> by_name(const std::vector<T>& items, Name name) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return name(items[a]) < name(items[b]); });
    return order;
  }

  void add_sources() {
    for (const std::size_t i :
         by_name(workspace_.reads, [](const ReadSpec& r) { return r.staging; })) {
      const ReadSpec& read = workspace_.reads[i];
      GraphNode node;
      node.kind = NodeKind::Source;
      node.name = read.staging;
      node.id = make_id(node.kind, node.name, read.read_hash);
      node.connection = read.connection;
      node.entity = read.entity;
      node.index = i;
      node.unread = !read.used;
      sources_[i] = add(std::move(node));
    }
  }

  void add_pipelines() {
    for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
      const PipelineSpec& pipeline = workspace_.pipelines[i];
      if (pipeline.materialization == Materialization::Ephemeral) {
        continue;
      }
      GraphNode node;
      node.kind = NodeKind::Pipeline;
      node.name = pipeline.name;
      node.id = make_id(node.kind, node.name, pipeline_digest(workspace_, pipeline));
      node.tags = pipeline.tags;
      node.index = i;
      pipelines_[i] = add(std::move(node));
    }
  }

  void add_writes() {
    for (const std::size_t i :
         by_name(workspace_.writes, [](const WriteSpec& w) { return w.target; })) {
      const WriteSpec& write = workspace_.writes[i];
      GraphNode node;
      node.kind = NodeKind::Write;
      node.name = write.target;
      node.id = make_id(node.kind, node.name, write.digest);
      node.connection = write.connection;
      node.entity = write.entity;
      node.index = i;
      writes_[i] = add(std::move(node));
    }
  }

  void add_checks(CheckSubject subject) {
    const auto each = [&](std::size_t index, const std::string& stem,
                          const std::vector<contracts::Check>& checks, bool unread) {
      for (std::size_t c = 0; c < checks.size(); ++c) {
        add_check(subject, index, c, stem + "_" + contracts::check_label(checks[c]), unread);
      }
    };
    if (subject == CheckSubject::Entity) {
      for (std::size_t i = 0; i < workspace_.reads.size(); ++i) {
        const ReadSpec& read = workspace_.reads[i];
        each(i, "check_" + read.staging.substr(4), read.checks, !read.used);
      }
    } else if (subject == CheckSubject::Pipeline) {
      for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
        each(i, "check_" + workspace_.pipelines[i].name, workspace_.pipelines[i].checks, false);
      }
    } else {
      for (std::size_t i = 0; i < workspace_.writes.size(); ++i) {
        const WriteSpec& write = workspace_.writes[i];
        each(i, "check_" + write.connection + "__" + base::replace_all(write.entity, ".", "_"),
             write.checks, false);
      }
    }
  }

  void add_check(CheckSubject subject, std::size_t index, std::size_t check, std::string name,
                 bool unread) {
    const int seen = ++check_names_[name];
    if (seen > 1) {
      name += "_" + std::to_string(seen);
    }
    GraphNode node;
    node.kind = NodeKind::Check;
    node.name = name;
    node.subject = subject;
    node.index = index;
    node.check = check;
    node.unread = unread;
    node.id = make_id(node.kind, name, contracts::describe_check(check_of(workspace_, node)));
    checks_[{static_cast<int>(subject), index}].push_back(add(std::move(node)));
  }

  const std::vector<std::size_t>& checks_on(CheckSubject subject, std::size_t index) {
    return checks_[{static_cast<int>(subject), index}];
  }

  void connect() {
    for (GraphNode& node : nodes_) {
      switch (node.kind) {
        case NodeKind::Source:
          break;
        case NodeKind::Check:
          node.parents = {subject_node(node)};
          connect_quarantine(node);
          break;
        case NodeKind::Pipeline:
          connect_pipeline(node);
          break;
        case NodeKind::Write:
          connect_write(node);
          break;
      }
    }
  }

  // A fact sees what the facts before it have left.
  void connect_quarantine(GraphNode& node) {
    const bool entity = node.subject == CheckSubject::Entity;
    const bool moves = entity ? quarantines(workspace_.reads[node.index].checks)
                              : quarantines(workspace_, pipeline_of(node));
    if (!moves) {
      return;
    }
    const std::vector<std::size_t> row =
        entity ? checks_on(CheckSubject::Entity, node.index) : checks_over(pipeline_of(node));
    for (const std::size_t before : row) {
      if (&nodes_[before] == &node) {
        return;
      }
      node.after.push_back(before);
    }
  }

  std::size_t pipeline_of(const GraphNode& check) const {
    return check.subject == CheckSubject::Write ? workspace_.writes[check.index].pipeline
                                                : check.index;
  }

  // All checks of the staged table of a pipeline, in order.
  std::vector<std::size_t> checks_over(std::size_t pipeline) {
    std::vector<std::size_t> all = checks_on(CheckSubject::Pipeline, pipeline);
    for (const std::size_t write : workspace_.pipelines[pipeline].writes) {
      const std::vector<std::size_t>& more = checks_on(CheckSubject::Write, write);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  void wait_for_quarantine(GraphNode& node, std::size_t pipeline) {
    if (quarantines(workspace_, pipeline)) {
      const std::vector<std::size_t> checks = checks_over(pipeline);
      node.after.insert(node.after.end(), checks.begin(), checks.end());
    }
  }

  std::size_t subject_node(const GraphNode& node) {
    switch (node.subject) {
      case CheckSubject::Entity:
        return sources_.at(node.index);
      case CheckSubject::Pipeline:
        return pipelines_.at(node.index);
      case CheckSubject::Write:
        break;
    }
    return pipelines_.at(workspace_.writes[node.index].pipeline);
  }

  void connect_pipeline(GraphNode& node) {
    for (const std::size_t read : reads_of(workspace_, node.index)) {
      node.parents.push_back(sources_.at(read));
      for (const std::size_t check : checks_on(CheckSubject::Entity, read)) {
        node.after.push_back(check);  // facts come before any transform
      }
    }
    connect_refs(node, node.index);
  }

  void connect_refs(GraphNode& node, std::size_t pipeline) {
    for (const std::size_t ref : workspace_.pipelines[pipeline].refs) {
      if (workspace_.pipelines[ref].materialization == Materialization::Ephemeral) {
        connect_refs(node, ref);
      } else {
        node.parents.push_back(pipelines_.at(ref));
        wait_for_quarantine(node, ref);
      }
    }
  }

  void connect_write(GraphNode& node) {
    const std::size_t pipeline = workspace_.writes[node.index].pipeline;
    node.parents.push_back(pipelines_.at(pipeline));
    wait_for_quarantine(node, pipeline);
    const auto gate = [&](const std::vector<std::size_t>& checks) {
      node.parents.insert(node.parents.end(), checks.begin(), checks.end());
    };
    gate(checks_on(CheckSubject::Pipeline, pipeline));
    gate(checks_on(CheckSubject::Write, node.index));
    for (const std::size_t above : pipelines_above(pipeline)) {
      gate(checks_on(CheckSubject::Pipeline, above));
    }
    for (const std::size_t read : all_reads_of(workspace_, pipeline)) {
      gate(checks_on(CheckSubject::Entity, read));
    }
  }

  std::set<std::size_t> pipelines_above(std::size_t pipeline) const {
    std::set<std::size_t> found;
    std::vector<std::size_t> open = workspace_.pipelines[pipeline].refs;
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (found.insert(next).second) {
        const auto& refs = workspace_.pipelines[next].refs;
        open.insert(open.end(), refs.begin(), refs.end());
      }
    }
    return found;
  }

  FlowGraph sorted() {
    base::Graph graph(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::size_t parent : nodes_[i].parents) {
        graph.add_edge(parent, i);
      }
      for (const std::size_t before : nodes_[i].after) {
        graph.add_edge(before, i);
      }
    }
    const std::vector<std::size_t> order = base::sort_topologically(graph).order;
    std::vector<std::size_t> place(nodes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
    }
    FlowGraph result;
    for (const std::size_t i : order) {
      GraphNode node = nodes_[i];
      renumber(node.parents, place);
      renumber(node.after, place);
      result.nodes.push_back(std::move(node));
    }
    return result;
  }

  static void renumber(std::vector<std::size_t>& numbers, const std::vector<std::size_t>& place) {
    for (std::size_t& number : numbers) {
      number = place[number];
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  const Workspace& workspace_;
  std::vector<GraphNode> nodes_;
  std::map<std::size_t, std::size_t> sources_;
  std::map<std::size_t, std::size_t> pipelines_;
  std::map<std::size_t, std::size_t> writes_;
  std::map<std::pair<int, std::size_t>, std::vector<std::size_t>> checks_;
  std::map<std::string, int> check_names_;
};

}  // namespace

std::string to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::Source:
      return "source";
    case NodeKind::Pipeline:
      return "pipeline";
    case NodeKind::Check:
      return "check";
    case NodeKind::Write:
      return "write";
  }
  return "";
}

bool quarantines(const std::vector<contracts::Check>& checks) {
  return std::any_of(checks.begin(), checks.end(), [](const contracts::Check& check) {
    return check.on_violation == contracts::OnViolation::Quarantine;
  });
}

bool quarantines(const Workspace& workspace, std::size_t pipeline) {
  const std::vector<std::size_t>& writes = workspace.pipelines[pipeline].writes;
  return quarantines(workspace.pipelines[pipeline].checks) ||
         std::any_of(writes.begin(), writes.end(), [&](std::size_t write) {
           return quarantines(workspace.writes[write].checks);
         });
}

const contracts::Check& check_of(const Workspace& workspace, const GraphNode& node) {
  switch (node.subject) {
    case CheckSubject::Entity:
      return workspace.reads.at(node.index).checks.at(node.check);
    case CheckSubject::Pipeline:
      return workspace.pipelines.at(node.index).checks.at(node.check);
    case CheckSubject::Write:
      break;
  }
  return workspace.writes.at(node.index).checks.at(node.check);
}

std::vector<std::size_t> reads_of(const Workspace& workspace, std::size_t pipeline) {
  std::vector<std::size_t> reads = workspace.pipelines[pipeline].reads;
  for (const std::size_t ref : workspace.pipelines[pipeline].refs) {
    if (workspace.pipelines[ref].materialization == Materialization::Ephemeral) {
      const std::vector<std::size_t> more = reads_of(workspace, ref);
      reads.insert(reads.end(), more.begin(), more.end());
    }
  }
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  return reads;
}

std::set<std::size_t> all_reads_of(const Workspace& workspace, std::size_t pipeline) {
  std::set<std::size_t> reads;
  std::set<std::size_t> seen;
  std::vector<std::size_t> open = {pipeline};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (seen.insert(next).second) {
      const PipelineSpec& spec = workspace.pipelines[next];
      reads.insert(spec.reads.begin(), spec.reads.end());
      open.insert(open.end(), spec.refs.begin(), spec.refs.end());
    }
  }
  return reads;
}

FlowGraph build_graph(const Workspace& workspace, std::vector<Problem>& problems) {
  return Builder(workspace).run(problems);
}

}  // namespace kedge::pipeline
