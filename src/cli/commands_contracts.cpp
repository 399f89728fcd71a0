#include "app/contract_formats.h"
#include "app/contracts.h"
#include "cli/commands.h"
#include "cli/contract_outcome.h"
#include "kedge/codes.h"
#include "report/contracts.h"

namespace kedge::cli {
namespace {

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
    invocation.print(report::validation_json(result), summary);
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
  invocation.print(report::accept_json(result), report::accept_text(result));
  return 0;
}

int show(Invocation& invocation) {
  const app::ShowResult result =
      app::show_schemas(invocation.context, invocation.arguments.positionals());
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(report::show_json(result), report::show_text(result));
  return invocation.arguments.has("--check") && result.pending() ? 1 : 0;
}

document::Json text_json(std::string_view key, const std::string& text) {
  document::Json json;
  json.set(key, text);
  return json;
}

int export_contracts(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::ExportRequest request;
  request.targets = arguments.positionals();
  request.servers = arguments.has("--servers") ? app::Servers::Named : app::Servers::Left;
  request.out = arguments.find("--out");
  const app::ExportResult result = app::export_contract(invocation.context, request);
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(text_json("contract", result.text), result.text);
  return 0;
}

int import_contracts(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const std::optional<std::string> connection = arguments.find("--connection");
  if (!connection) {
    throw Error(codes::ERR_USAGE, "--connection NAME is needed");
  }
  const app::ImportResult result = app::import_contract(
      invocation.context,
      {arguments.positionals().at(0), *connection, arguments.find("--entity"),
       arguments.has("--write") ? app::ImportTarget::Write : app::ImportTarget::Print});
  for (const std::string& warning : result.warnings) {
    Problem problem;
    problem.code = codes::PZ0820;
    problem.message = warning;
    invocation.terminal.err.write(report::contract_line(problem, Severity::Warning));
  }
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(text_json("entities", result.text), result.text);
  return arguments.has("--strict") && !result.warnings.empty() ? 1 : 0;
}

int infer(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const app::InferResult result = app::infer_contract(
      invocation.context, arguments.positionals().at(0),
      arguments.has("--connect") ? app::InferFrom::Connection : app::InferFrom::Baseline);
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(text_json("columns", result.text), result.text);
  return 0;
}

int diff(Invocation& invocation) {
  const std::vector<std::string>& sources = invocation.arguments.positionals();
  if (sources.size() != 2) {
    throw Error(codes::ERR_USAGE, "contract diff takes two files or git revisions");
  }
  const app::ContractDiff result =
      app::diff_contract_sources(invocation.context, sources[0], sources[1]);
  invocation.print(report::contract_diff_json(result), report::contract_diff_text(result));
  return result.breaking() ? 1 : 0;
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
      {"contract export",
       "Write contracts as an Open Data Contract Standard document",
       {{"--out", FlagKind::Value, "FILE", "Write to a file instead of standard output", {}},
        {"--servers", FlagKind::Switch, "", "Name hosts and databases of the connections", {}}},
       {{"CONN.ENTITY", "What to export; nothing: all with a contract", false, true}},
       guarded(export_contracts),
       "",
       {"text", "json"}},
      {"contract import",
       "Turn an Open Data Contract Standard document into entities of connections.yml",
       {{"--connection", FlagKind::Value, "NAME", "The connection that gets the entities", {}},
        {"--entity", FlagKind::Value, "E", "Only this one", {}},
        {"--write", FlagKind::Switch, "", "Insert into connections.yml", {}},
        {"--strict", FlagKind::Switch, "", "Exit 1 when something was not understood", {}}},
       {{"FILE", "The document", true, false}},
       guarded(import_contracts),
       "",
       {"text", "json"}},
      {"contract infer",
       "Print a columns: block from the accepted baseline or the live schema",
       {{"--connect", FlagKind::Switch, "", "Ask the source", {}}},
       {{"CONN.ENTITY", "The entity", true, false}},
       guarded(infer),
       "",
       {"text", "json"}},
      {"contract diff",
       "Say whether a changed contract breaks those who rely on it",
       {},
       {{"A", "Before and after: files or git revisions", true, true}},
       guarded(diff),
       "Exit code: 1 when a change is breaking.",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
