#include "pipeline/compile.h"

#include <algorithm>

#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"
#include "pipeline/graph.h"

namespace kedge::pipeline {
namespace {

void append(std::vector<Problem>& target, const std::vector<Problem>& more) {
  target.insert(target.end(), more.begin(), more.end());
}

void read_vars(const CompileRequest& request, Compilation& result) {
  Workspace& workspace = *result.workspace;
  for (const project::Variable& variable : workspace.project.vars) {
    workspace.vars[variable.name] = variable.value;
  }
  if (!request.vars) {
    return;
  }
  const document::Document document =
      document::read_document("--vars", *request.vars, document::Format::Json);
  if (!document.problems.empty() || !document.root.is_mapping()) {
    result.load.problems.push_back(
        {codes::PZ0102, "--vars must be a JSON object of names to values", std::nullopt, "", {}});
    return;
  }
  for (const document::Entry& entry : document.root.entries) {
    if (entry.value.is_mapping()) {
      result.load.problems.push_back(
          {codes::PZ0102,
           "--vars: '" + entry.key.text + "' must be a single value or a list",
           std::nullopt,
           "",
           {}});
    } else {
      workspace.vars[entry.key.text] = entry.value;
    }
  }
}

void load_files(const CompileRequest& request, Compilation& result) {
  Workspace& workspace = *result.workspace;
  project::ProjectLoad project =
      project::load_project(request.files, request.environment, request.folder);
  workspace.project = std::move(project.project);
  append(result.load.problems, project.problems);
  result.warnings.insert(result.warnings.end(), project.warnings.begin(), project.warnings.end());
  project::ConnectionsLoad connections =
      project::load_connections(request.files, request.environment, request.folder);
  workspace.connections = std::move(connections.connections);
  append(result.load.problems, connections.problems);
  result.warnings.insert(result.warnings.end(), connections.warnings.begin(),
                         connections.warnings.end());
  workspace.secrets = workspace.project.secrets;
  for (const project::Connection& connection : workspace.connections.connections) {
    workspace.secrets.insert(workspace.secrets.end(), connection.secrets.begin(),
                             connection.secrets.end());
  }
}

// What env() inserts is never shown: not in messages of DuckDB, nor anywhere else.
void keep_environment_secret(const CompileRequest& request, Workspace& workspace) {
  constexpr std::size_t kShortest = 4;  // shorter texts would blot out ordinary words
  for (const PipelineSpec& pipeline : workspace.pipelines) {
    for (const Segment& segment : pipeline.text.segments) {
      for (const Call& call : segment.calls) {
        const bool named = call.function == "env" && call.arguments.size() == 1;
        const std::optional<std::string> value =
            named ? request.environment.get(call.arguments[0].value.text) : std::nullopt;
        if (value && value->size() >= kShortest) {
          workspace.secrets.push_back(*value);
        }
      }
    }
  }
}

void require_identity(const CompileRequest& request, Compilation& result) {
  const Workspace& workspace = *result.workspace;
  const bool entities = std::any_of(
      workspace.connections.connections.begin(), workspace.connections.connections.end(),
      [](const project::Connection& connection) { return !connection.entities.empty(); });
  const bool pipelines =
      request.files.kind(base::join_path(request.folder, "pipelines")).has_value();
  const bool malformed = !result.load.problems.empty() && workspace.project.name.empty();
  if ((entities || pipelines) && !malformed) {
    append(result.load.problems, project::require_identity(workspace.project));
  }
}

void sort_by_place(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    const auto rank = [](const Problem& p) {
      const std::string file = p.where ? p.where->file : "";
      const int order = file == "project.yml" ? 0 : (file == "connections.yml" ? 1 : 2);
      return std::make_tuple(order, p.where.value_or(Position{}));
    };
    return rank(a) < rank(b);
  });
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
}

}  // namespace

Compilation compile_project(const CompileRequest& request) {
  Compilation result;
  result.workspace = std::make_shared<Workspace>();
  load_files(request, result);
  read_vars(request, result);
  require_identity(request, result);
  load_pipelines(request, result);
  resolve_calls(result);
  keep_environment_secret(request, *result.workspace);
  sort_by_place(result.load.problems);
  if (!result.load.problems.empty()) {
    result.compile.problems.clear();
    return result;
  }
  check_rules(request, result);
  check_facts(request, result);
  if (result.compile.problems.empty()) {
    build_graph(*result.workspace, result.compile.problems);
  }
  sort_by_place(result.compile.problems);
  check_required_contracts(result);
  sort_by_place(result.options.problems);
  return result;
}

}  // namespace kedge::pipeline
