#include "app/pipeline.h"
#include "cli/commands.h"
#include "cli/contract_outcome.h"
#include "report/contracts.h"

namespace kedge::cli {
namespace {

void print(Invocation& invocation, const document::Json& json, const std::string& text) {
  invocation.terminal.out.write(invocation.json() ? document::write_json(json) + "\n" : text);
}

int list(Invocation& invocation) {
  const app::ListResult result =
      app::list_nodes(invocation.context, invocation.arguments.all("--select"));
  report_warnings(invocation, result.warnings);
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  print(invocation, report::list_json(result), report::list_text(result));
  return 0;
}

std::function<int(Invocation&)> guarded(int (*run)(Invocation&)) {
  return [run](Invocation& invocation) { return contract_command(invocation, run); };
}

}  // namespace

std::vector<Command> pipeline_commands() {
  return {
      {"ls",
       "List the nodes of the project in topological order",
       {{"--select", FlagKind::List, "S", "Only what this selects", {}}},
       {},
       guarded(list),
       "",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
