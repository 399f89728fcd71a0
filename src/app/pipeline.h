// The pipeline commands (spec/contracts.md 7, 8): ls, run, test, retry, compile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/context.h"
#include "pipeline/compile.h"
#include "pipeline/graph.h"
#include "pipeline/record.h"
#include "pipeline/run.h"

namespace kedge::app {

pipeline::Compilation compile_workspace(Context& context, const std::optional<std::string>& vars);
std::vector<Problem> first_problems(const pipeline::Compilation& compilation);

struct ListedNode {
  std::string kind;
  std::string name;
  std::vector<std::string> tags;
};
struct ListResult {
  std::vector<ListedNode> nodes;
  std::vector<Problem> problems;
  std::vector<Finding> warnings;
};
ListResult list_nodes(Context& context, const std::vector<std::string>& select);

pipeline::World world_of(Context& context);

struct CompiledPipeline {
  std::string name;
  std::string sql;  // values of env() are hidden
};
struct PlannedWrite {
  std::string target;
  std::string strategy;
  std::string policy;
  std::vector<std::string> statements;  // what an evolve write or a creation would execute
  std::vector<std::string> refusals;    // why it would fail
  std::string note;                     // why nothing is known
};
struct PlanResult {
  std::vector<CompiledPipeline> pipelines;  // in topological order
  std::vector<ListedNode> nodes;
  std::vector<PlannedWrite> writes;  // plan only
  std::vector<Problem> problems;
  std::vector<Finding> warnings;
};
// Rendered SQL and the graph, offline.
PlanResult compile_sql(Context& context, const std::vector<std::string>& select,
                       const std::optional<std::string>& vars);
// The same, and what the writes would do to their targets, which are looked at.
PlanResult plan_writes(Context& context, const std::vector<std::string>& select,
                       const std::optional<std::string>& vars);

struct RunCommand {
  pipeline::Selection selection;
  std::optional<std::string> vars;
  pipeline::RunMode mode = pipeline::RunMode::Run;
  pipeline::Refresh refresh = pipeline::Refresh::Incremental;
  pipeline::OnFailure on_failure = pipeline::OnFailure::GoOn;
};

struct RunOutcome {
  std::vector<Problem> problems;              // nothing ran
  std::optional<pipeline::RunRecord> record;  // nothing: there was nothing to run
  std::string nothing;                        // why nothing ran, where that is no problem
  int exit() const;
};

RunOutcome run_pipelines(Context& context, const RunCommand& command,
                         const pipeline::RunListener& listener);
// Runs the failed and skipped nodes of the latest run again.
RunOutcome retry_run(Context& context, const RunCommand& command,
                     const pipeline::RunListener& listener);

}  // namespace kedge::app
