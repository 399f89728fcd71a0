#include "app/check.h"
#include "app/impact.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/check.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/impact.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

std::string rendered(app::Context& context, const app::CheckResult& result,
                     const std::string& format) {
  const std::string& folder = context.folder;
  if (format == "json") {
    return document::write_json(report::check_json(result)) + "\n";
  }
  if (format == "html") {
    return report::html_report(report::page_data(result, app::collect_page_parts(context, result)));
  }
  if (format == "sarif") {
    const std::vector<Finding> findings = report::reported_findings(result);
    const report::Execution execution =
        result.errors.empty() ? report::Execution::Successful : report::Execution::Failed;
    return document::write_json(report::findings_sarif(findings, folder, execution)) + "\n";
  }
  if (format == "junit") {
    return report::findings_junit(report::junit_report(result));
  }
  if (format == "github") {
    return report::findings_github(report::reported_findings(result), folder);
  }
  return report::check_text(result);
}

int run_check(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::CheckRequest request;
  request.only = arguments.list("--only");
  request.skip = arguments.list("--skip");
  request.changed_since = arguments.find("--changed-since");
  request.baseline = arguments.find("--baseline");
  const app::CheckResult result = app::check(invocation.context, request);
  invocation.terminal.out.write(
      rendered(invocation.context, result, arguments.get("--format", "text")));
  return result.exit_code;
}

int run_impact(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::ImpactRequest request;
  request.connection = arguments.get("--db", "");
  request.drop_columns = arguments.all("--drop-column");
  request.drop_tables = arguments.all("--drop-table");
  request.renames = arguments.all("--rename");
  request.retypes = arguments.all("--retype");
  request.from = arguments.find("--from");
  request.to = arguments.find("--to");
  request.pending = arguments.has("--pending");
  const auto revision = arguments.find("--contracts-since");
  if (revision &&
      (request.pending || request.to || !request.drop_columns.empty() ||
       !request.drop_tables.empty() || !request.renames.empty() || !request.retypes.empty())) {
    throw Error(codes::ERR_USAGE, "--contracts-since stands alone",
                "changes of a database are another question");
  }
  const app::ImpactResult result = revision
                                       ? app::find_contract_impact(invocation.context, *revision)
                                       : app::find_impact(invocation.context, request);
  const std::string format = arguments.get("--format", "text");
  base::Sink& out = invocation.terminal.out;
  if (format == "json") {
    out.write(document::write_json(report::impact_json(result)) + "\n");
  } else if (format == "mermaid") {
    out.write(report::impact_mermaid(result));
  } else if (format == "dot") {
    out.write(report::impact_dot(result));
  } else {
    out.write(report::impact_text(result));
  }
  return !result.failures.empty() ? 2 : result.breaks() ? 1 : 0;
}

Command impact_command() {
  Command command;
  command.name = "impact";
  command.summary = "Say what a change breaks or alters, everywhere, before it is made";
  command.flags = {
      {"--db", FlagKind::Value, "NAME|URL", "The database that changes", {}},
      {"--drop-column", FlagKind::List, "TABLE.COLUMN", "A column goes", {}},
      {"--drop-table", FlagKind::List, "TABLE", "A table or view goes", {}},
      {"--rename", FlagKind::List, "TABLE.COLUMN=NEW", "A column gets another name", {}},
      {"--retype", FlagKind::List, "TABLE.COLUMN=TYPE", "A column gets another type", {}},
      {"--pending", FlagKind::Switch, "", "The migration that metadata asks for now", {}},
      {"--contracts-since",
       FlagKind::Value,
       "GITREF",
       "Contracts as edited since this revision, instead of a database change",
       {}},
      {"--from", FlagKind::Value, "SRC", "The shape before (default: the database)", {}},
      {"--to", FlagKind::Value, "SRC", "The shape after", {}}};
  command.run = run_impact;
  command.details =
      "Looks at views, models, contracts, pipelines, metadata, templates and generated files. Exit "
      "code: 0 nothing\nbreaks, 1 something breaks, 2 a part could not be judged.";
  command.formats = {"text", "json", "mermaid", "dot"};
  return command;
}

}  // namespace

std::vector<Command> check_commands() {
  return {{"check",
           "Run every guard of the project: one report, one exit code",
           {{"--only", FlagKind::List, "GUARDS", "Only these guards, comma-separated", {}},
            {"--skip", FlagKind::List, "GUARDS", "All but these guards", {}},
            {"--changed-since",
             FlagKind::Value,
             "GITREF",
             "Only guards whose inputs differ from this revision",
             {}},
            {"--baseline",
             FlagKind::Value,
             "FILE",
             "A JSON document of an earlier check: its findings do not fail",
             {}}},
           {},
           run_check,
           "Guards: models, metadata, replay, contracts, templates, code, docs.\n"
           "Exit code: 0 in line, 1 drift, 2 something could not be checked.",
           {"text", "json", "sarif", "junit", "github", "html"}},
          impact_command()};
}

}  // namespace kedge::cli
