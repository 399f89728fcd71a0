// What `kedge validate` finds in contracts and pipelines: tiers 1 to 4 offline, tier 5 with
// --connect (spec/contracts.md 9).
#include <algorithm>

#include "app/contracts.h"
#include "app/pipeline.h"
#include "kedge/codes.h"
#include "pipeline/dry_compile.h"
#include "pipeline/fetch.h"
#include "pipeline/state.h"

namespace kedge::app {
namespace {

void add_all(const std::vector<Problem>& problems, Validation& result) {
  for (const Problem& problem : problems) {
    result.add(problem);
    result.items.back().finding.guard = "contracts";
  }
}

// Narrowed to the entities and pipelines of --select, where it is given.
std::shared_ptr<const pipeline::Workspace> narrowed(const pipeline::Compilation& compilation,
                                                    const ValidateRequest& request) {
  if (request.select.empty()) {
    return compilation.workspace;
  }
  std::vector<Problem> problems;
  const pipeline::FlowGraph graph = pipeline::build_graph(*compilation.workspace, problems);
  pipeline::Selection selection;
  selection.select = request.select;
  std::vector<bool> reads(compilation.workspace->reads.size(), false);
  for (const std::size_t index : pipeline::select_nodes(graph, selection)) {
    if (graph.nodes[index].kind == pipeline::NodeKind::Source) {
      reads[graph.nodes[index].index] = true;
    }
  }
  auto workspace = std::make_shared<pipeline::Workspace>(*compilation.workspace);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i]) {
      workspace->reads[i].connection.clear();
    }
  }
  return workspace;
}

void connect(Context& context, const ValidateRequest& request,
             const std::shared_ptr<const pipeline::Workspace>& workspace,
             const pipeline::DryCompile& dry, Validation& result) {
  const pipeline::World world = world_of(context);
  pipeline::State state(context.files, context.folder, workspace->project.state_dir.text);
  const contracts::Baselines baselines = state.baselines();
  const auto remembered = state.fetched();
  const pipeline::FetchResult fetched =
      pipeline::fetch_and_compare({world, workspace, baselines, remembered, dry.outputs});
  for (const pipeline::FetchFinding& found : fetched.findings) {
    ValidationItem item{found.finding, found.kind, found.declared, found.found};
    if (request.strictness == Strictness::Strict && item.finding.severity == Severity::Warning) {
      item.finding.severity = Severity::Error;
    }
    result.items.push_back(std::move(item));
  }
  result.connections += fetched.connections;
  state.store_fetched(fetched.fetched);
}

}  // namespace

void check_contracts(Context& context, const ValidateRequest& request, Validation& result) {
  const pipeline::Compilation compilation = compile_workspace(context, request.vars);
  for (const Finding& warning : compilation.warnings) {
    result.items.push_back({warning, "", "", ""});
  }
  add_all(first_problems(compilation), result);
  if (!compilation.ok()) {
    return;
  }
  const auto selected = narrowed(compilation, request);  // refuses what matches nothing
  const pipeline::Workspace& workspace = *compilation.workspace;
  result.pipelines += workspace.pipelines.size();
  const pipeline::State state(context.files, context.folder, workspace.project.state_dir.text);
  const pipeline::DryCompile dry = pipeline::dry_compile(world_of(context), workspace, state);
  for (const std::string& note : dry.notes) {
    Problem problem;
    problem.message = note;
    result.add(std::move(problem), Severity::Note);
  }
  add_all(dry.problems, result);
  if (dry.problems.empty() && request.reach == Reach::Connect) {
    connect(context, request, selected, dry, result);
  }
}

}  // namespace kedge::app
