#include "app/pipeline.h"

#include "kedge/codes.h"

namespace kedge::app {
namespace {

// DuckDB is opened on first use, so projects without watermark() never load it.
pipeline::SqlSerializer make_serializer(Context& context) {
  return [&context](const std::string& sql) {
    const std::unique_ptr<db::Connection> connection = context.registry.connect(
        {"analysis", "duckdb", {{"path", ":memory:"}}, {}, db::AccessMode::ReadWrite});
    const db::Value text = sql;
    const db::ResultSet result = connection->query("SELECT json_serialize_sql(?::VARCHAR)",
                                                   std::span<const db::Value>(&text, 1));
    return db::to_text(result.rows.at(0).at(0));
  };
}

}  // namespace

pipeline::Compilation compile_workspace(Context& context, const std::optional<std::string>& vars) {
  return pipeline::compile_project(
      {context.files, context.environment, context.folder, vars, make_serializer(context)});
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

}  // namespace kedge::app
