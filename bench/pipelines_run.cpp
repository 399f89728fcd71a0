// `kedge run --all` of a project folder without the command line around it, so that the pipelines
// can be measured without building every command: pipelines_run FOLDER.
#include <cstdio>
#include <string>

#include "base/environment.h"
#include "base/file_system.h"
#include "db/duckdb/connector.h"
#include "db/postgres/connector.h"
#include "pipeline/compile.h"
#include "pipeline/graph.h"
#include "pipeline/run.h"

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  const auto files = base::make_file_system();
  const auto clock = base::make_clock();
  const auto environment = base::make_environment();
  const auto processes = base::make_process_runner();
  db::Registry registry;
  registry.add("duckdb", db::make_duckdb_connector());
  registry.add("postgres", db::make_postgres_connector());
  const pipeline::World world{
      files->real_path(argv[1]), *files, *clock, *environment, *processes, registry};
  try {
    const pipeline::Compilation compilation =
        pipeline::compile_project({*files, *environment, world.folder, {}, {}});
    std::vector<Problem> problems = compilation.load.problems;
    const pipeline::FlowGraph graph = pipeline::build_graph(*compilation.workspace, problems);
    pipeline::RunRequest request;
    request.nodes = pipeline::select_nodes(graph, {{}, {}, pipeline::Scope::All});
    pipeline::RunListener listener;
    listener.on_node = [](const pipeline::NodeRecord& node) {
      std::printf("%s %lld rows %lld ms %s\n", node.name.c_str(), static_cast<long long>(node.rows),
                  static_cast<long long>(node.duration_ms),
                  node.error ? node.error->message.c_str() : "");
    };
    const pipeline::RunRecord record =
        pipeline::execute_run(world, compilation.workspace, graph, request, listener);
    return record.status == pipeline::RunStatus::Success ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
