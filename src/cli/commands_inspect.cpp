#include "app/init.h"
#include "app/inspect.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/diff.h"
#include "report/inspect.h"
#include "report/problem.h"
#include "schema/snapshot.h"

namespace kedge::cli {
namespace {

std::vector<Flag> source_flags() {
  return {
      {"--dialect",
       FlagKind::Value,
       "DIALECT",
       "What sql:, metadata: and empty: are read in",
       {"sqlite", "postgres", "mysql", "duckdb", "d1"}},
      {"--schema", FlagKind::List, "NAME", "Only these schemas of the database", {}},
      {"--scope", FlagKind::List, "PATTERN", "Only objects that match; * is any text", {}, true},
      {"--exclude", FlagKind::List, "PATTERN", "Leave out objects that match", {}},
      {"--privileges", FlagKind::Switch, "", "Grants too", {}},
      {"--scratch-url", FlagKind::Value, "URL", "A server for throw-away databases", {}},
      {"--pg-bin", FlagKind::Value, "DIR", "Where PostgreSQL's programs are", {}}};
}

app::InspectRequest inspect_request(const Arguments& arguments) {
  app::InspectRequest request;
  request.source = arguments.positionals().at(0);
  if (const auto dialect = arguments.find("--dialect")) {
    request.options.dialect = schema::find_dialect(*dialect);
  }
  request.options.scope.schemas = arguments.list("--schema");
  request.options.scope.privileges = arguments.has("--privileges");
  request.options.scratch.url = arguments.get("--scratch-url", "");
  request.options.scratch.pg_bin = arguments.get("--pg-bin", "");
  request.include = arguments.list("--scope");
  if (request.include.empty() && arguments.has("--scope")) {  // must not mean everything
    throw Error(codes::ERR_SCOPE_PATTERN_INVALID, "'' is no pattern over names of a database",
                "name, schema.name or kind:name, '*' is any text");
  }
  request.exclude = arguments.list("--exclude");
  return request;
}

void show_warnings(const std::vector<Finding>& findings, Terminal& terminal) {
  for (const Finding& finding : findings) {
    terminal.err.write(report::finding_text(finding));
  }
}

int inspect_command(Invocation& invocation) {
  const app::InspectRequest request = inspect_request(invocation.arguments);
  const std::string format = invocation.arguments.get("--format", "text");
  Terminal& terminal = invocation.terminal;
  if (format == "sql") {
    terminal.out.write(report::diff_sql(app::inspect_as_statements(invocation.context, request)));
    return 0;
  }
  const app::InspectResult result = app::inspect(invocation.context, request);
  if (format == "json") {
    terminal.out.write(document::write_json(report::inspect_json(result)) + "\n");
  } else if (format == "mermaid" || format == "dot") {
    const schema::Schema& schema = result.source.schema;
    terminal.out.write(format == "dot" ? report::inspect_dot(schema)
                                       : report::inspect_mermaid(schema));
    show_warnings(result.findings, terminal);
  } else {
    terminal.out.write(report::inspect_text(result));
  }
  return 0;
}

int snapshot_command(Invocation& invocation) {
  const app::InspectResult result =
      app::inspect(invocation.context, inspect_request(invocation.arguments));
  if (const auto path = invocation.arguments.find("--out")) {
    app::write_snapshot_file(invocation.context, result.source.schema, *path);
  } else {
    invocation.terminal.out.write(schema::write_snapshot(result.source.schema));
  }
  show_warnings(result.findings, invocation.terminal);
  return 0;
}

int init_command(Invocation& invocation) {
  app::InitRequest request;
  request.name = invocation.arguments.get("--name", "");
  if (!invocation.arguments.positionals().empty()) {
    request.connection = invocation.arguments.positionals().front();
  }
  const app::InitResult result = app::init_project(invocation.context, request);
  Terminal& terminal = invocation.terminal;
  if (invocation.json()) {
    document::Json json;
    document::Json written = document::Json::array();
    document::Json kept = document::Json::array();
    for (const std::string& name : result.written) {
      written.push(name);
    }
    for (const std::string& name : result.kept) {
      kept.push(name);
    }
    json.set("command", "init");
    json.set("written", std::move(written));
    json.set("kept", std::move(kept));
    json.set("errors", document::Json::array());
    json.set("exit_code", 0);
    terminal.out.write(document::write_json(json) + "\n");
    return 0;
  }
  for (const std::string& name : result.written) {
    terminal.out.write("wrote " + name + "\n");
  }
  for (const std::string& name : result.kept) {
    terminal.out.write("kept  " + name + "\n");
  }
  return 0;
}

}  // namespace

std::vector<Command> inspect_commands() {
  std::vector<Flag> snapshot_flags = source_flags();
  snapshot_flags.push_back(
      {"--out", FlagKind::Value, "FILE", "Write to this file instead of standard output", {}});
  const Positional source{
      "SRC", "Connection, URL, sql:PATH, snapshot:PATH, metadata:, chain:, empty:", true, false};
  return {{"init",
           "Make this folder a project",
           {{"--name", FlagKind::Value, "NAME", "The project's name (the folder's)", {}}},
           {{"URL", "A first database", false, false}},
           init_command,
           "Files that are there stay as they are; .kedge/ goes into .gitignore.",
           {"text", "json"}},
          {"inspect",
           "Show the shape of a database or of any other source",
           source_flags(),
           {source},
           inspect_command,
           "  kedge inspect sqlite:app.db\n"
           "  kedge inspect postgres://localhost/app --format mermaid --scope 'harbour.*'\n"
           "  kedge inspect sql:schema.sql --dialect postgres --format json",
           {"text", "json", "sql", "mermaid", "dot"}},
          {"snapshot",
           "Print the canonical JSON of a shape, and nothing else",
           snapshot_flags,
           {source},
           snapshot_command,
           "Equal shapes give equal bytes. snapshot:FILE reads it again wherever a SRC is taken.",
           {"text", "json"}}};
}

}  // namespace kedge::cli
