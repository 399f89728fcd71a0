#include "app/check.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/check.h"
#include "report/html.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

std::string rendered(const app::CheckResult& result, const std::string& format) {
  if (format == "json") {
    return document::write_json(report::check_json(result)) + "\n";
  }
  if (format == "html") {
    return report::html_report(report::page_data(result));
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
  invocation.terminal.out.write(rendered(result, arguments.get("--format", "text")));
  return result.exit_code;
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
           {"text", "json", "sarif", "junit", "github", "html"}}};
}

}  // namespace kedge::cli
