#include "app/contracts.h"
#include "cli/commands.h"
#include "cli/contract_outcome.h"
#include "report/contracts.h"

namespace kedge::cli {
namespace {

void print(Invocation& invocation, const document::Json& json, const std::string& text) {
  invocation.terminal.out.write(invocation.json() ? document::write_json(json) + "\n" : text);
}

int validate(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::ValidateRequest request;
  request.reach = arguments.has("--connect") ? app::Reach::Connect : app::Reach::Offline;
  request.strictness =
      arguments.has("--strict") ? app::Strictness::Strict : app::Strictness::Normal;
  request.select = arguments.all("--select");
  request.vars = arguments.find("--vars");
  const app::Validation result = app::validate(invocation.context, request);
  invocation.terminal.err.write(report::validation_diagnostics(result));
  const std::string summary = report::validation_summary(result);
  if (result.exit() != 0 && !invocation.json()) {
    invocation.terminal.err.write(summary);
  } else {
    print(invocation, report::validation_json(result), summary);
  }
  return result.exit();
}

int accept(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const app::AcceptResult result = app::accept_schemas(
      invocation.context,
      {arguments.positionals(), arguments.find("--run"), arguments.get("--reason", "")});
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  print(invocation, report::accept_json(result), report::accept_text(result));
  return 0;
}

int show(Invocation& invocation) {
  const app::ShowResult result =
      app::show_schemas(invocation.context, invocation.arguments.positionals());
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  print(invocation, report::show_json(result), report::show_text(result));
  return invocation.arguments.has("--check") && result.pending() ? 1 : 0;
}

std::function<int(Invocation&)> guarded(int (*run)(Invocation&)) {
  return [run](Invocation& invocation) { return contract_command(invocation, run); };
}

}  // namespace

std::vector<Command> contract_commands() {
  return {
      {"validate",
       "Find what is wrong in the declarations, and with --connect what has drifted",
       {{"--connect", FlagKind::Switch, "", "Open every connection and compare", {}},
        {"--strict", FlagKind::Switch, "", "Count warnings of --connect as errors", {}},
        {"--select", FlagKind::List, "S", "Only what this selects", {}},
        {"--vars", FlagKind::Value, "JSON", "Values of variables", {}}},
       {},
       guarded(validate),
       "Exit code: 0 nothing wrong, 1 drift, 2 broken declarations or a lost connection.",
       {"text", "json"}},
      {"schema accept",
       "Accept the shapes that the latest run observed as the new baselines",
       {{"--run", FlagKind::Value, "ID", "Take another run's observation", {}},
        {"--reason", FlagKind::Value, "TEXT", "Kept in the audit trail", {}}},
       {{"CONN.ENTITY", "What to accept; nothing: all that differs", false, true}},
       guarded(accept),
       "Opens no connection: it reads the run record and the baselines.",
       {"text", "json"}},
      {"schema show",
       "Show baselines and the latest observed shapes",
       {{"--check", FlagKind::Switch, "", "Exit 1 when something is pending", {}}},
       {{"CONN.ENTITY", "What to show; nothing: all", false, true}},
       guarded(show),
       "",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
