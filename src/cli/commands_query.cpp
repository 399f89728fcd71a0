// query and models list, models show (models.md 14.2).
#include <string>

#include "app/query.h"
#include "base/text.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/problem.h"
#include "report/query.h"

namespace kedge::cli {
namespace {

// The text of a query: JSON as given, @file, or the name of a query-backed model.
models::QueryInput query_input(const Invocation& invocation) {
  const std::string& text = invocation.arguments.positionals().at(0);
  if (text.starts_with('@')) {
    const std::string path = base::join_path(invocation.context.folder, text.substr(1));
    const auto content = invocation.context.files.read(path);
    if (!content) {
      throw Error(codes::ERR_USAGE, "the file '" + text.substr(1) + "' cannot be read");
    }
    return {*content, text.substr(1)};
  }
  const std::string trimmed(base::trim(text));
  if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
    return {trimmed, "query"};
  }
  document::Json by_name = document::Json::object();
  by_name.set("name", trimmed);
  return {document::write_json(by_name, -1), "query"};
}

models::QueryOptions query_options(const Arguments& arguments) {
  models::QueryOptions options;
  options.data_source = arguments.find("--data-source");
  options.check_drift = arguments.has("--check-drift");
  if (arguments.has("--dry-run")) {
    options.mode = models::QueryOptions::Mode::DryRun;
  } else if (arguments.has("--explain")) {
    options.mode = models::QueryOptions::Mode::Explain;
  }
  for (const std::string& pair : arguments.all("--variables")) {
    const std::size_t at = pair.find('=');
    if (at == std::string::npos || at == 0) {
      throw Error(codes::ERR_USAGE, "'" + pair + "' is no variable; write name=value");
    }
    options.variables[pair.substr(0, at)] = pair.substr(at + 1);
  }
  return options;
}

// On --format json the body of an error is the one of REST.
int fail(Invocation& invocation, const Error& error) {
  if (invocation.json()) {
    invocation.terminal.out.write(document::write_json(report::query_error_json(error)) + "\n");
  }
  invocation.terminal.err.write(report::problem_text(error.problem(), Severity::Error));
  return error.code() == codes::schema_drift ? 1 : 2;
}

int run_query(Invocation& invocation) {
  try {
    const models::QueryOptions options = query_options(invocation.arguments);
    const models::QueryResult result =
        app::run_query(invocation.context, query_input(invocation), options);
    invocation.terminal.out.write(
        invocation.json() ? document::write_json(report::query_json(result, options.mode)) + "\n"
                          : report::query_text(result, options.mode));
    return 0;
  } catch (const Error& error) {
    return fail(invocation, error);
  }
}

int run_list(Invocation& invocation) {
  const app::ModelList list =
      app::list_models(invocation.context, invocation.arguments.find("--data-source"));
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::models_json(list.models)) + "\n"
                                    : report::models_text(list.models));
  int exit = 0;
  for (const Finding& finding : list.problems) {
    invocation.terminal.err.write(report::problem_text(finding.problem, finding.severity));
    exit = finding.severity == Severity::Error ? 2 : exit;
  }
  return exit;
}

int run_show(Invocation& invocation) {
  const models::LoadedModel loaded =
      app::show_model(invocation.context, invocation.arguments.positionals().at(0),
                      invocation.arguments.find("--data-source"));
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::model_json(loaded.model)) + "\n"
                                    : report::model_text(loaded.model));
  return 0;
}

}  // namespace

std::vector<Command> query_commands() {
  const Flag source{
      "--data-source,--datasource", FlagKind::Value, "NAME", "A connection of connections.yml", {}};
  return {
      {"query",
       "Ask a semantic model",
       {source,
        {"--variables", FlagKind::List, "NAME=VALUE", "A value for {NAME}; JSON, else a text", {}},
        {"--dry-run", FlagKind::Switch, "", "Show the SQL, run nothing", {}},
        {"--explain", FlagKind::Switch, "", "Show the SQL and the engine's plan", {}},
        {"--check-drift", FlagKind::Switch, "", "Validate the touched models first", {}}},
       {{"QUERY", "A query object as JSON, @file, or the name of a query-backed model", true,
         false}},
       run_query,
       "Exit 1 when models that the query touches have drifted, 2 for every other failure.",
       {"text", "json"}},
      {"models list",
       "List the semantic models",
       {source},
       {},
       run_list,
       "Exit 2 when a file cannot be read as a model; the others are listed.",
       {"text", "json"}},
      {"models show",
       "Show one semantic model",
       {source},
       {{"NAME", "The model", true, false}},
       run_show,
       "",
       {"text", "json"}}};
}

}  // namespace kedge::cli
