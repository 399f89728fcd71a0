#include "app/pipeline.h"

#include <algorithm>

#include "kedge/codes.h"
#include "pipeline/dry_compile.h"
#include "pipeline/state.h"

namespace kedge::app {
namespace {

// DuckDB is opened on first use, so projects that do not need it never load it.
std::unique_ptr<db::Connection> open_duckdb(Context& context) {
  return context.registry.connect(
      {"analysis", "duckdb", {{"path", ":memory:"}}, {}, db::AccessMode::ReadWrite});
}

pipeline::SqlSerializer make_serializer(Context& context) {
  return [&context](const std::string& sql) {
    const std::unique_ptr<db::Connection> connection = open_duckdb(context);
    const db::Value text = sql;
    const db::ResultSet result = connection->query("SELECT json_serialize_sql(?::VARCHAR)",
                                                   std::span<const db::Value>(&text, 1));
    return db::to_text(result.rows.at(0).at(0));
  };
}

pipeline::SqlTrial make_trial(Context& context) {
  return [&context, connection = std::shared_ptr<db::Connection>()](
             const std::string& sql) mutable -> std::optional<std::string> {
    if (connection == nullptr) {
      connection = open_duckdb(context);
    }
    try {
      connection->query(sql);
      return std::nullopt;
    } catch (const db::DatabaseError& error) {
      return error.driver_message();
    }
  };
}

}  // namespace

pipeline::Compilation compile_workspace(Context& context, const std::optional<std::string>& vars) {
  return pipeline::compile_project({context.files, context.environment, context.folder, vars,
                                    make_serializer(context), make_trial(context)});
}

std::vector<Problem> first_problems(const pipeline::Compilation& compilation) {
  if (!compilation.load.problems.empty()) {
    return compilation.load.problems;
  }
  return compilation.compile.problems.empty() ? compilation.options.problems
                                              : compilation.compile.problems;
}

ListResult list_nodes(Context& context, const std::vector<std::string>& select) {
  const pipeline::Compilation compilation = compile_workspace(context, std::nullopt);
  ListResult result;
  result.warnings = compilation.warnings;
  result.problems = first_problems(compilation);
  if (!result.problems.empty()) {
    return result;
  }
  const pipeline::FlowGraph graph = pipeline::build_graph(*compilation.workspace, result.problems);
  pipeline::Selection selection;
  selection.select = select;
  selection.scope = select.empty() ? pipeline::Scope::All : pipeline::Scope::Default;
  for (const std::size_t index : pipeline::select_nodes(graph, selection)) {
    const pipeline::GraphNode& node = graph.nodes[index];
    result.nodes.push_back({pipeline::to_string(node.kind), node.name, node.tags});
  }
  return result;
}

pipeline::World world_of(Context& context) {
  return {context.folder,    context.files,    context.clock,   context.environment,
          context.processes, context.registry, context.catalogs};
}

int RunOutcome::exit() const {
  if (!problems.empty()) {
    int worst = 1;
    for (const Problem& problem : problems) {
      worst = std::max(worst, exit_code_of(problem.code));
    }
    return worst;
  }
  if (!record) {
    return 0;
  }
  switch (record->status) {
    case pipeline::RunStatus::Success:
      return 0;
    case pipeline::RunStatus::CompletedWithFailures:
      return 1;
    case pipeline::RunStatus::Interrupted:
    case pipeline::RunStatus::Fatal:
    case pipeline::RunStatus::Running:
      break;
  }
  return 2;
}

namespace {

struct Prepared {
  pipeline::Compilation compilation;
  pipeline::FlowGraph graph;
  std::vector<Problem> problems;
};

// Tiers 1 to 4: everything that stops before a run folder is made.
Prepared prepare(Context& context, const RunCommand& command,
                 const pipeline::RunListener& listener) {
  Prepared prepared;
  prepared.compilation = compile_workspace(context, command.vars);
  for (const Finding& warning : prepared.compilation.warnings) {
    if (warning.severity == Severity::Warning) {
      listener.on_warning(warning);
    }
  }
  prepared.problems = first_problems(prepared.compilation);
  if (!prepared.problems.empty()) {
    return prepared;
  }
  const pipeline::Workspace& workspace = *prepared.compilation.workspace;
  const pipeline::State state(context.files, context.folder, workspace.project.state_dir.text);
  prepared.problems = pipeline::dry_compile(world_of(context), workspace, state).problems;
  if (prepared.problems.empty()) {
    prepared.graph = pipeline::build_graph(workspace, prepared.problems);
  }
  return prepared;
}

std::vector<std::size_t> with_ancestors(const pipeline::FlowGraph& graph,
                                        const std::vector<std::size_t>& from) {
  std::vector<bool> wanted(graph.nodes.size(), false);
  for (const std::size_t node : from) {
    wanted[node] = true;
  }
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (wanted[i]) {
      for (const std::size_t parent : graph.nodes[i].parents) {
        wanted[parent] = true;
      }
    }
  }
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) {
      nodes.push_back(i);
    }
  }
  return nodes;
}

// The nodes of the failed run that failed or were skipped, unless they are others now.
std::vector<std::size_t> nodes_to_retry(const pipeline::FlowGraph& graph,
                                        const pipeline::RunRecord& before,
                                        const pipeline::RunListener& listener) {
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const pipeline::NodeRecord* record = before.find(graph.nodes[i].name);
    if (record == nullptr || record->status == pipeline::NodeStatus::Success) {
      continue;
    }
    if (record->id == graph.nodes[i].id) {
      nodes.push_back(i);
      continue;
    }
    Finding note;
    note.severity = Severity::Note;
    note.problem.message = graph.nodes[i].name + " changed since the failed run";
    listener.on_warning(note);
  }
  return with_ancestors(graph, nodes);
}

}  // namespace

namespace {

// Connections that are known but cannot be opened stop a run before its first node.
std::vector<Problem> unopenable(const Context& context, const Prepared& prepared,
                                const std::vector<std::size_t>& nodes) {
  std::vector<Problem> problems;
  for (const project::Connection& connection :
       prepared.compilation.workspace->connections.connections) {
    const bool used = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t node) {
      return prepared.graph.nodes[node].connection == connection.name;
    });
    const bool file = connection.connector == "localfiles";
    if (used && !file && !context.registry.knows(connection.connector)) {
      problems.push_back({codes::PZ0305,
                          "connection '" + connection.name + "': connector '" +
                              connection.connector + "' is not in this build",
                          connection.connector_where,
                          "copy the files to a folder and read them with localfiles",
                          {}});
    }
  }
  return problems;
}

}  // namespace

RunOutcome run_pipelines(Context& context, const RunCommand& command,
                         const pipeline::RunListener& listener) {
  RunOutcome outcome;
  Prepared prepared = prepare(context, command, listener);
  outcome.problems = prepared.problems;
  if (!outcome.problems.empty()) {
    return outcome;
  }
  pipeline::RunRequest request;
  request.nodes = pipeline::select_nodes(prepared.graph, command.selection);
  if (request.nodes.empty()) {
    outcome.nothing = "nothing to run";
    return outcome;
  }
  outcome.problems = unopenable(context, prepared, request.nodes);
  if (!outcome.problems.empty()) {
    return outcome;
  }
  request.selection = pipeline::to_string(command.selection);
  request.mode = command.mode;
  request.refresh = command.refresh;
  request.on_failure = command.on_failure;
  outcome.record = pipeline::execute_run(world_of(context), prepared.compilation.workspace,
                                         prepared.graph, request, listener);
  return outcome;
}

RunOutcome retry_run(Context& context, const RunCommand& command,
                     const pipeline::RunListener& listener) {
  RunOutcome outcome;
  Prepared prepared = prepare(context, command, listener);
  outcome.problems = prepared.problems;
  if (!outcome.problems.empty()) {
    return outcome;
  }
  const pipeline::State state(context.files, context.folder,
                              prepared.compilation.workspace->project.state_dir.text);
  const std::optional<pipeline::RunRecord> before = state.latest();
  if (!before) {
    throw Error(codes::PZ0502, "there is no run to retry");
  }
  if (before->status == pipeline::RunStatus::Running) {
    const bool alive = state.is_going_on(before->run_id);
    throw Error(codes::PZ0503,
                "run " + before->run_id +
                    (alive ? " is still going on" : " did not finish and cannot be retried"),
                alive ? "" : "run again");
  }
  if (before->status == pipeline::RunStatus::Fatal) {
    throw Error(codes::PZ0504, "run " + before->run_id + " stopped before its first node");
  }
  if (before->status == pipeline::RunStatus::Success) {
    outcome.nothing = "nothing to retry (run " + before->run_id + " succeeded)";
    return outcome;
  }
  pipeline::RunRequest request;
  request.nodes = nodes_to_retry(prepared.graph, *before, listener);
  request.selection = "retry of " + before->run_id;
  request.refresh = command.refresh;
  request.on_failure = command.on_failure;
  request.retry_of = before;
  if (request.nodes.empty()) {
    outcome.nothing = "nothing to retry";
    return outcome;
  }
  outcome.record = pipeline::execute_run(world_of(context), prepared.compilation.workspace,
                                         prepared.graph, request, listener);
  return outcome;
}

}  // namespace kedge::app
