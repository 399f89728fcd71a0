// compile and plan (spec/contracts.md 1, 13.3).
#include <algorithm>

#include "app/pipeline.h"
#include "contracts/target_type.h"
#include "kedge/codes.h"
#include "pipeline/dry_compile.h"
#include "pipeline/render.h"
#include "pipeline/source.h"
#include "pipeline/state.h"
#include "pipeline/write.h"
#include "pipeline/write_sql.h"

namespace kedge::app {
namespace {

std::vector<std::size_t> selected_nodes(const pipeline::FlowGraph& graph,
                                        const std::vector<std::string>& select) {
  pipeline::Selection selection;
  selection.select = select;
  selection.scope = select.empty() ? pipeline::Scope::All : pipeline::Scope::Default;
  return pipeline::select_nodes(graph, selection);
}

struct Compiled {
  pipeline::Compilation compilation;
  pipeline::FlowGraph graph;
  std::vector<std::size_t> nodes;
  PlanResult result;
};

Compiled compile(Context& context, const std::vector<std::string>& select,
                 const std::optional<std::string>& vars) {
  Compiled compiled;
  compiled.compilation = compile_workspace(context, vars);
  compiled.result.warnings = compiled.compilation.warnings;
  compiled.result.problems = first_problems(compiled.compilation);
  if (!compiled.result.problems.empty()) {
    return compiled;
  }
  const pipeline::Workspace& workspace = *compiled.compilation.workspace;
  compiled.graph = pipeline::build_graph(workspace, compiled.result.problems);
  compiled.nodes = selected_nodes(compiled.graph, select);
  const pipeline::RenderContext render{
      workspace,
      context.environment,
      "<run id>",
      "<run start>",
      [](const pipeline::PipelineSpec&, std::size_t) { return std::string("<watermark>"); },
      pipeline::EnvironmentValues::Hidden,
      {}};
  for (const std::size_t index : compiled.nodes) {
    const pipeline::GraphNode& node = compiled.graph.nodes[index];
    compiled.result.nodes.push_back({pipeline::to_string(node.kind), node.name, node.tags});
    if (node.kind == pipeline::NodeKind::Pipeline) {
      compiled.result.pipelines.push_back(
          {node.name, workspace.hide(pipeline::render_pipeline(render, node.index))});
    }
  }
  return compiled;
}

std::vector<std::string> create_statements(const pipeline::WriteSpec& write,
                                           const contracts::WriteRequest& request) {
  std::vector<pipeline::NewColumn> columns;
  for (const contracts::WriteColumn& column : request.columns) {
    const bool key =
        request.strategy == contracts::Strategy::Merge &&
        std::find(request.keys.begin(), request.keys.end(), column.name) != request.keys.end();
    const auto mapped = contracts::target_type(
        request.system, column.type, key ? contracts::ColumnUse::Key : contracts::ColumnUse::Plain);
    columns.push_back({column.name, mapped ? mapped->native : "?", key});
  }
  if (request.on_delete == contracts::OnDelete::Soft) {
    columns.push_back(
        {std::string(contracts::kMarkerColumn), contracts::marker_type(request.system), false});
  }
  const bool merge = request.strategy == contracts::Strategy::Merge;
  return {pipeline::create_table_sql(request.system,
                                     pipeline::quote_entity_for(request.system, write.entity),
                                     columns, merge ? request.keys : std::vector<std::string>{})};
}

void plan_target(const pipeline::Engine& engine, const pipeline::WriteSpec& write,
                 std::vector<contracts::WriteColumn> columns, PlannedWrite& planned) {
  const contracts::WriteRequest request = pipeline::judge_request(write, std::move(columns));
  std::optional<contracts::Target> target;
  try {
    const pipeline::Engine::Held connection =
        engine.open(write.connection, pipeline::Engine::Use::Read);
    target = pipeline::find_target(*connection, write);
  } catch (const Error& error) {
    if (error.code() != codes::PZ0353) {
      throw;
    }
  }
  if (!target) {
    planned.statements = create_statements(write, request);
    return;
  }
  const contracts::WriteVerdict verdict = contracts::judge_write(request, *target, {});
  for (const contracts::Mismatch& mismatch : verdict.mismatches) {
    planned.refusals.push_back(mismatch.text);
  }
  for (const contracts::Alteration& alteration : verdict.alterations) {
    const std::string table = pipeline::quote_entity_for(request.system, write.entity);
    if (const auto sql = pipeline::alter_sql(request.system, table, alteration)) {
      planned.statements.push_back(*sql);
    }
  }
}

}  // namespace

PlanResult compile_sql(Context& context, const std::vector<std::string>& select,
                       const std::optional<std::string>& vars) {
  return compile(context, select, vars).result;
}

PlanResult plan_writes(Context& context, const std::vector<std::string>& select,
                       const std::optional<std::string>& vars) {
  Compiled compiled = compile(context, select, vars);
  PlanResult& result = compiled.result;
  if (!result.problems.empty()) {
    return result;
  }
  const auto workspace = compiled.compilation.workspace;
  const pipeline::State state(context.files, context.folder, workspace->project.state_dir.text);
  pipeline::DryCompile dry = pipeline::dry_compile(world_of(context), *workspace, state);
  result.problems = dry.problems;
  const pipeline::Engine engine(world_of(context), workspace, "plan");
  for (const std::size_t index : compiled.nodes) {
    const pipeline::GraphNode& node = compiled.graph.nodes[index];
    if (node.kind != pipeline::NodeKind::Write || !result.problems.empty()) {
      continue;
    }
    const pipeline::WriteSpec& write = workspace->writes[node.index];
    PlannedWrite planned{write.target,
                         contracts::to_string(write.strategy),
                         contracts::to_string(write.policy),
                         {},
                         {},
                         ""};
    const auto output = dry.outputs.find(write.pipeline);
    if (write.is_file()) {
      planned.note = "a file is written";
    } else if (output == dry.outputs.end()) {
      planned.note = "the shape of the result is not known";
    } else {
      plan_target(engine, write, pipeline::write_columns(write, output->second), planned);
    }
    result.writes.push_back(std::move(planned));
  }
  return result;
}

}  // namespace kedge::app
