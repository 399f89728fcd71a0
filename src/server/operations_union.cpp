#include <algorithm>

#include "app/check.h"
#include "app/diff.h"
#include "app/impact.h"
#include "app/source.h"
#include "kedge/codes.h"
#include "report/check.h"
#include "report/diff.h"
#include "report/impact.h"
#include "schema/snapshot.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

// Over the wire only what the project itself names: a URL would let a caller make the server
// connect anywhere, a path would let it read any file.
std::string safe_source(const std::string& text) {
  const bool named = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  const bool known = text == "metadata:" || text == "snapshot:" || text == "empty:";
  if (text.empty() || (!named && !known)) {
    throw Error(codes::ERR_SOURCE, "'" + text + "' cannot be used here",
                "name a connection of the project, or metadata:, snapshot:, empty:");
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

Answer run_check(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"only", "skip"});
  app::CheckRequest request;
  request.only = list_member(arguments, "only");
  request.skip = list_member(arguments, "skip");
  return {200, report::check_json(app::check(context, request))};
}

Answer run_impact(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(
      arguments, {"connection", "drop_columns", "drop_tables", "renames", "retypes", "pending"});
  app::ImpactRequest request;
  if (const std::optional<std::string> connection = text_member(arguments, "connection")) {
    request.connection = safe_source(*connection);
  }
  request.drop_columns = list_member(arguments, "drop_columns");
  request.drop_tables = list_member(arguments, "drop_tables");
  request.renames = list_member(arguments, "renames");
  request.retypes = list_member(arguments, "retypes");
  request.pending = flag_member(arguments, "pending");
  return {200, report::impact_json(app::find_impact(context, request))};
}

Answer run_diff(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"from", "to", "scope", "exclude"});
  app::DiffRequest request;
  request.from = safe_source(needed(arguments, "from"));
  request.to = safe_source(needed(arguments, "to"));
  request.filter = {list_member(arguments, "scope"), list_member(arguments, "exclude")};
  return {200, report::diff_json(app::compare_sources(context, request))};
}

Answer run_inspect(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"source", "tables"});
  app::SourceOptions options;
  options.scope.tables = list_member(arguments, "tables");
  const app::Source source =
      app::load_source(context, safe_source(needed(arguments, "source")), options);
  return {200, schema::to_json(source.schema)};
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
      {{"only", list_schema("Only these guards")}, {"skip", list_schema("All but these guards")}});
  check.run = run_check;
  check.method = "POST";
  check.pattern = "/check";
  check.failures = {400};
  Operation impact = make("impact", "What does a change break?",
                          "Says what dropping, renaming or retyping columns or tables breaks or "
                          "alters: views, models, contracts, pipelines, metadata, templates.");
  impact.input_schema =
      object_schema({{"connection", nullable_text_schema("The database that changes")},
                     {"drop_columns", list_schema("table.column")},
                     {"drop_tables", list_schema("table")},
                     {"renames", list_schema("table.column=new")},
                     {"retypes", list_schema("table.column=type")},
                     {"pending", flag_schema("The migration that metadata asks for now")}});
  impact.run = run_impact;
  impact.method = "POST";
  impact.pattern = "/impact";
  impact.failures = {400, 502};
  Operation diff = make("diff", "Difference of two shapes",
                        "What leads from one shape to another, as changes and statements.");
  diff.input_schema =
      object_schema({{"from", text_schema("A connection, metadata:, snapshot: or empty:")},
                     {"to", text_schema("The same")},
                     {"scope", list_schema("Only objects that match")},
                     {"exclude", list_schema("Not these objects")}},
                    {"from", "to"});
  diff.run = run_diff;
  diff.method = "POST";
  diff.pattern = "/diff";
  diff.failures = {400, 502};
  Operation inspect = make("inspect", "Inspect a shape",
                           "The tables, views, types and other objects of a database or of the "
                           "metadata, as JSON.");
  inspect.input_schema =
      object_schema({{"source", text_schema("A connection, metadata: or snapshot:")},
                     {"tables", list_schema("Only these; * is any text")}},
                    {"source"});
  inspect.run = run_inspect;
  inspect.method = "POST";
  inspect.pattern = "/inspect";
  inspect.failures = {400, 502};
  Operation explain = make("explain", "Explain a code", "Says what a code of kedge means.");
  explain.input_schema = object_schema({{"code", text_schema("For instance PZ0331")}}, {"code"});
  explain.run = run_explain;
  explain.method = "GET";
  explain.pattern = "/codes/{code}";
  explain.failures = {404};
  return {check, impact, diff, inspect, explain};
}

}  // namespace kedge::server
