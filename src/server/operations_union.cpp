#include <algorithm>

#include "app/check.h"
#include "app/diff.h"
#include "app/history.h"
#include "app/impact.h"
#include "app/source.h"
#include "app/verify.h"
#include "kedge/codes.h"
#include "report/check.h"
#include "report/diff.h"
#include "report/impact.h"
#include "report/migrate.h"
#include "schema/snapshot.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

// Over the wire only what the project itself names: a URL would let a caller make the server
// connect anywhere, a path would let it read any file.
bool is_connection_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string safe_connection(const std::string& text) {
  if (!is_connection_name(text)) {
    throw Error(codes::ERR_SOURCE, "'" + text + "' cannot be used here",
                "name a connection of the project");
  }
  return text;
}

// "NAME@DATE": what `kedge record` kept of a connection.
bool is_recorded(const std::string& text) {
  return app::is_recorded_name(text) && is_connection_name(text.substr(0, text.rfind('@')));
}

std::string safe_source(const std::string& text) {
  const bool known = text == "metadata:" || text == "snapshot:" || text == "empty:";
  if (!known && !is_connection_name(text) && !is_recorded(text)) {
    throw Error(codes::ERR_SOURCE, "'" + text + "' cannot be used here",
                "name a connection of the project, NAME@DATE, or metadata:, snapshot:, empty:");
  }
  return text;
}

std::string needed(const Node& arguments, std::string_view key) {
  std::optional<std::string> value = text_member(arguments, key);
  if (!value) {
    throw Error(codes::ERR_BODY, "'" + std::string(key) + "' is needed");
  }
  return *std::move(value);
}

std::vector<std::string> guard_names() {
  std::vector<std::string> names;
  for (const app::Guard& guard : app::all_guards()) {
    names.push_back(guard.name);
  }
  return names;
}

// Each guard that is asked for is left out again.
bool leaves_nothing(const app::CheckRequest& request) {
  const std::vector<std::string> all = guard_names();
  const auto holds = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto known = [&](const std::string& name) { return holds(all, name); };
  return std::all_of(request.only.begin(), request.only.end(), known) &&
         std::all_of(request.skip.begin(), request.skip.end(), known) &&
         std::all_of(all.begin(), all.end(), [&](const std::string& name) {
           return holds(request.skip, name) ||
                  (!request.only.empty() && !holds(request.only, name));
         });
}

Answer run_check(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"only", "skip"});
  app::CheckRequest request;
  request.only = narrowing_member(arguments, "only");
  request.skip = list_member(arguments, "skip");
  if (leaves_nothing(request)) {
    return refused("only and skip together leave no guard to run", "ask for at least one guard");
  }
  return {200, report::check_json(app::check(context, request))};
}

Answer run_impact(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(
      arguments, {"connection", "drop_columns", "drop_tables", "renames", "retypes", "pending"});
  app::ImpactRequest request;
  if (const std::optional<std::string> connection = text_member(arguments, "connection")) {
    request.connection = safe_connection(*connection);
  }
  request.drop_columns = list_member(arguments, "drop_columns");
  request.drop_tables = list_member(arguments, "drop_tables");
  request.renames = list_member(arguments, "renames");
  request.retypes = list_member(arguments, "retypes");
  request.pending = flag_member(arguments, "pending");
  const bool steps = !request.drop_columns.empty() || !request.drop_tables.empty() ||
                     !request.renames.empty() || !request.retypes.empty();
  if (request.pending && steps) {
    return refused("the pending migration and steps of a change are asked for at once",
                   "ask for one of them at a time");
  }
  return {200, report::impact_json(app::find_impact(context, request))};
}

Answer run_diff(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"from", "to", "scope", "exclude"});
  app::DiffRequest request;
  request.from = safe_source(needed(arguments, "from"));
  request.to = safe_source(needed(arguments, "to"));
  request.filter = {narrowing_member(arguments, "scope"), list_member(arguments, "exclude")};
  return {200, report::diff_json(app::compare_sources(context, request))};
}

Answer run_inspect(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"source", "tables"});
  app::SourceOptions options;
  options.scope.tables = narrowing_member(arguments, "tables");
  const app::Source source =
      app::load_source(context, safe_source(needed(arguments, "source")), options);
  return {200, schema::to_json(source.schema)};
}

Answer run_verify_database(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"connection"});
  app::VerifyDatabaseRequest request;
  const std::optional<std::string> connection = text_member(arguments, "connection");
  request.database.db = connection ? safe_connection(*connection) : "";
  const app::VerifyResult result = app::verify_database(context, request);
  Json json = report::verify_members(result);
  json.set("summary", result.summary).set("drift", report::drift_json(result));
  json.set("exit_code", result.exit);
  return {200, std::move(json)};
}

Answer run_explain(app::Context&, const Node& arguments) {
  refuse_unknown_keys(arguments, {"code"});
  const std::string name = needed(arguments, "code");
  const CodeEntry* entry = find_code(name);
  if (entry == nullptr) {
    throw Error(codes::ERR_UNKNOWN_CODE, "there is no code '" + name + "'");
  }
  Answer answer;
  answer.json.set("code", entry->code.name()).set("purpose", entry->purpose);
  answer.json.set("exit_code", entry->exit).set("since", entry->since);
  return answer;
}

Json connection_schema(const std::string& description) {
  return pattern_schema(nullable_text_schema(description), kConnectionPattern);
}

Json source_schema(const std::string& description) {
  return pattern_schema(text_schema(description),
                        "^([A-Za-z0-9_]+(@[0-9]{4}-[0-9]{2}-[0-9]{2}([T "
                        "][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z?)?)?|"
                        "metadata:|snapshot:|empty:)$");
}

// table.column, with what it becomes after "=".
constexpr const char* kColumnPattern = "^[^.=]+(\\.[^.=]+)+$";
constexpr const char* kAssignmentPattern = "^[^.=]+(\\.[^.=]+)+=[^=]+$";

Operation make(std::string name, std::string title, std::string description) {
  Operation operation;
  operation.name = std::move(name);
  operation.title = std::move(title);
  operation.description = std::move(description);
  return operation;
}

}  // namespace

std::vector<Operation> union_operations() {
  Operation check = make("check", "Check everything",
                         "Runs every guard of the project (models, metadata, contracts, templates, "
                         "code, docs) and returns one list of findings.");
  check.input_schema = object_schema(
      {{"only", narrowing_schema(choice_list_schema("Only these guards", guard_names()))},
       {"skip", choice_list_schema("All but these guards", guard_names())}});
  check.run = run_check;
  check.method = "POST";
  check.pattern = "/check";
  check.failures = {400, 422};
  Operation impact = make("impact", "What does a change break?",
                          "Says what dropping, renaming or retyping columns or tables breaks or "
                          "alters: views, models, contracts, pipelines, metadata, templates.");
  impact.input_schema = any_of(
      object_schema({{"connection", connection_schema("The database that changes")},
                     {"drop_columns", pattern_list_schema("table.column", kColumnPattern)},
                     {"drop_tables", pattern_list_schema("table", "^[^=]+$")},
                     {"renames", pattern_list_schema("table.column=new", kAssignmentPattern)},
                     {"retypes", pattern_list_schema("table.column=type", kAssignmentPattern)},
                     {"pending", flag_schema("The migration that metadata asks for now")}}),
      {"drop_columns", "drop_tables", "renames", "retypes", "pending"});
  impact.run = run_impact;
  impact.method = "POST";
  impact.pattern = "/impact";
  impact.failures = {400, 404, 422, 502, 504};
  Operation diff = make("diff", "Difference of two shapes",
                        "What leads from one shape to another, as changes and statements.");
  diff.input_schema = object_schema(
      {{"from",
        source_schema("A connection, NAME@DATE of kedge record, metadata:, snapshot: or empty:")},
       {"to", source_schema("The same")},
       {"scope", narrowing_schema(list_schema("Only objects that match"))},
       {"exclude", list_schema("Not these objects")}},
      {"from", "to"});
  diff.run = run_diff;
  diff.method = "POST";
  diff.pattern = "/diff";
  diff.failures = {400, 404, 422, 502, 504};
  Operation inspect = make("inspect", "Inspect a shape",
                           "The tables, views, types and other objects of a database or of the "
                           "metadata, as JSON.");
  inspect.input_schema = object_schema(
      {{"source",
        source_schema("A connection, NAME@DATE of kedge record, metadata:, snapshot: or empty:")},
       {"tables", narrowing_schema(list_schema("Only these; * is any text"))}},
      {"source"});
  inspect.run = run_inspect;
  inspect.method = "POST";
  inspect.pattern = "/inspect";
  inspect.failures = {400, 404, 422, 502, 504};
  Operation explain = make("explain", "Explain a code", "Says what a code of kedge means.");
  explain.input_schema = object_schema({{"code", text_schema("For instance PZ0331")}}, {"code"});
  explain.run = run_explain;
  explain.method = "GET";
  explain.pattern = "/codes/{code}";
  explain.failures = {404};
  Operation verify = make("verify", "Compare a database with the metadata",
                          "Finds where a live database, its ledger and the snapshot differ from "
                          "what the metadata declares.");
  verify.input_schema =
      object_schema({{"connection", connection_schema("The database; default migrate.target")}});
  verify.run = run_verify_database;
  verify.method = "POST";
  verify.pattern = "/verify";
  verify.failures = {400, 404, 422, 502, 504};
  return {check, impact, diff, inspect, explain, verify};
}

}  // namespace kedge::server
