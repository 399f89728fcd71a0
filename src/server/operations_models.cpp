#include "app/models.h"
#include "app/query.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "report/models.h"
#include "report/problem.h"
#include "report/query.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

Json failures_json(const std::vector<models::CheckFailure>& failures) {
  Json list = Json::array();
  for (const models::CheckFailure& failure : failures) {
    Json json;
    json.set("data_source", failure.data_source).set("code", failure.code);
    json.set("message", failure.model_name.empty() ? failure.message
                                                   : failure.model_name + ": " + failure.message);
    list.push(std::move(json));
  }
  return list;
}

Answer validate_models(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"data_source", "deep"});
  app::ValidateModelsRequest request;
  request.data_source = text_member(arguments, "data_source");
  request.options.deep = flag_member(arguments, "deep");
  const models::ValidateResult result = app::validate_models(context, request);
  if (result.failures.empty()) {
    return {200, report::entries_json(result.entries)};
  }
  Answer answer{422, {}};
  answer.json.set("error", "validate_failed");
  answer.json.set("message", "some models or data sources could not be checked");
  answer.json.set("failures", failures_json(result.failures));
  answer.json.set("to_delete", report::entries_json(result.entries));
  return answer;
}

Answer ingest(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(
      arguments, {"data_source", "datasource", "schema_name", "include_tables", "exclude_tables"});
  std::optional<std::string> source = text_member(arguments, "data_source");
  const std::optional<std::string> other = text_member(arguments, "datasource");
  if (source && other && *source != *other) {
    return refused("'data_source' and 'datasource' are one member, and differ", "give one of them");
  }
  if (!source) {
    source = other;
  }
  if (!source) {
    throw Error(codes::ERR_BODY, "'data_source' is needed");
  }
  models::IngestOptions options;
  options.schema_name = text_member(arguments, "schema_name").value_or("");
  options.scope.include_tables = narrowing_member(arguments, "include_tables");
  options.scope.exclude_tables = list_member(arguments, "exclude_tables");
  const models::IdempotentIngestResult result = app::ingest_models(context, *source, options);
  return {result.errors.empty() ? 200 : 422, report::ingest_json(result)};
}

int query_status(const Error& error) {
  const int status = http_status_of(error.code());
  // What a query itself does wrong is the request's fault; connection, time and drift are not.
  return error.code() == codes::schema_drift || status == 404 || status >= 500 ? status : 400;
}

// dry_run and explain belong to the request, the other members to the query.
Answer query(app::Context& context, const Node& arguments) {
  models::QueryOptions options;
  if (flag_member(arguments, "dry_run")) {
    options.mode = models::QueryOptions::Mode::DryRun;
  } else if (flag_member(arguments, "explain")) {
    options.mode = models::QueryOptions::Mode::Explain;
  }
  options.data_source = text_member(arguments, "data_source");
  Json members = Json::object();
  for (const document::Entry& entry : arguments.entries) {
    const std::string& key = entry.key.text;
    if (key != "dry_run" && key != "explain" && key != "data_source") {
      members.set(key, document::to_json(entry.value));
    }
  }
  try {
    const models::QueryResult result =
        app::run_query(context, {document::write_json(members, -1), "query"}, options);
    return {200, report::query_json(result, options.mode)};
  } catch (const Error& error) {
    return {query_status(error), report::query_error_json(error)};
  }
}

Answer list_models(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"data_source"});
  const app::ModelList list = app::list_models(context, text_member(arguments, "data_source"));
  Json problems = Json::array();
  for (const Finding& finding : list.problems) {
    if (finding.severity == Severity::Error) {
      problems.push(report::problem_json(finding.problem));
    }
  }
  if (problems.as_array()->empty()) {
    return {200, report::models_json(list.models)};
  }
  // A model that cannot be read must not look like one that is not there.
  Answer answer{422, {}};
  const Json first = problems.as_array()->front();
  answer.json.set("error", *first.find("code")).set("message", *first.find("message"));
  answer.json.set("problems", std::move(problems));
  answer.json.set("models", report::models_json(list.models));
  return answer;
}

Answer inspect_model(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"data_source", "name"});
  const std::optional<std::string> name = text_member(arguments, "name");
  if (!name) {
    throw Error(codes::ERR_BODY, "'name' is needed");
  }
  const models::LoadedModel loaded =
      app::show_model(context, *name, text_member(arguments, "data_source"));
  return {200, report::model_json(loaded.model)};
}

// One of the three forms of a request: its members, and no others.
Json query_form(const std::string& needed, std::vector<std::string> members) {
  Json properties = Json::object();
  for (const std::string& name : {std::string("data_source"), std::string("dry_run"),
                                  std::string("explain"), std::string("variables")}) {
    members.push_back(name);
  }
  for (const std::string& name : members) {
    properties.set(name, Json::object());
  }
  Json form;
  form.set("required", Json(Json::Array{needed})).set("properties", std::move(properties));
  form.set("additionalProperties", false);
  return form;
}

Operation query_operation() {
  Operation operation;
  operation.name = "query";
  operation.title = "Ask a semantic model";
  operation.description =
      "Runs a query object (source_model, measures, dimensions, time_dimensions, filters, order, "
      "limit), a list of them in `queries`, or a query-backed model by `name`. When the database "
      "has drifted from the models the answer says so: schema_drift.";
  Json object = Json::object();
  object.set("type", "object");
  Json stages = Json::object();
  stages.set("type", "array").set("items", object).set("minItems", 1);
  stages.set("description", "Stages, each a query");
  Json variables = object;
  variables.set("description", "Values of {name} places");
  Json any = object;
  any.set("properties",
          Json(Json::Object{{"source_model", text_schema("The model that is asked")},
                            {"queries", std::move(stages)},
                            {"name", text_schema("A query-backed model")},
                            {"variables", std::move(variables)},
                            {"data_source", nullable_text_schema("Where the model is looked for")},
                            {"dry_run", flag_schema("Only the SQL")},
                            {"explain", flag_schema("The engine's plan")}}));
  Json forms = Json::array();
  forms.push(query_form(
      "source_model",
      {"source_model", "name", "measures", "dimensions", "time_dimensions", "main_time_dimension",
       "filters", "order", "limit", "offset", "whole_periods_only", "distinct_dimension_values"}));
  forms.push(query_form("queries", {"queries"}));
  forms.push(query_form("name", {"name"}));
  any.set("anyOf", std::move(forms));
  operation.input_schema = std::move(any);
  operation.run = query;
  operation.method = "POST";
  operation.pattern = "/query";
  operation.gives_data = true;
  operation.failures = {400, 404, 422, 502, 504};
  return operation;
}

Operation list_operation() {
  Operation operation;
  operation.name = "list_models";
  operation.title = "List the semantic models";
  operation.description =
      "Every semantic model of the project, with its data source. Files that cannot be read make "
      "it "
      "a 422 that tells them, beside the models that can.";
  operation.input_schema = object_schema({{"data_source", nullable_text_schema("")}});
  operation.run = list_models;
  operation.method = "GET";
  operation.pattern = "/models";
  operation.failures = {422};
  return operation;
}

Operation inspect_operation() {
  Operation operation;
  operation.name = "inspect_model";
  operation.title = "Show one semantic model";
  operation.description = "A semantic model as JSON, defaults filled in.";
  operation.input_schema = object_schema(
      {{"name", text_schema("The model")}, {"data_source", nullable_text_schema("")}}, {"name"});
  operation.run = inspect_model;
  operation.method = "GET";
  operation.pattern = "/models/{data_source}/{name}";
  operation.failures = {404};
  return operation;
}

Operation validate_operation() {
  Operation operation;
  operation.name = "validate_models";
  operation.title = "Validate semantic models";
  operation.description =
      "Compares the semantic models with the live databases and returns the minimal list of edits "
      "that makes them valid again; an empty list when nothing has drifted. Changes nothing.";
  operation.input_schema =
      object_schema({{"data_source", nullable_text_schema("")}, {"deep", flag_schema("")}});
  operation.run = validate_models;
  operation.method = "POST";
  operation.pattern = "/validate-models";
  operation.failures = {404, 422};
  return operation;
}

Operation ingest_operation() {
  Operation operation;
  operation.name = "ingest_datasource_models";
  operation.title = "Ingest a data source";
  operation.description =
      "Adds models, columns and joins that the live database has and the model files lack. Never "
      "changes or removes what exists; running it again changes nothing.";
  operation.input_schema = any_of(
      object_schema(
          {{"data_source", text_schema("The connection")},
           {"datasource", text_schema("Another spelling of data_source")},
           {"schema_name", nullable_text_schema("Only this schema")},
           {"include_tables", narrowing_schema(list_schema("Only these tables; * is any text"))},
           {"exclude_tables", list_schema("Not these tables")}}),
      {"data_source", "datasource"});
  operation.run = ingest;
  operation.method = "POST";
  operation.pattern = "/ingest";
  operation.read_only = false;
  operation.failures = {404, 422};
  return operation;
}

}  // namespace

std::vector<Operation> model_operations() {
  return {validate_operation(), ingest_operation(), query_operation(), list_operation(),
          inspect_operation()};
}

}  // namespace kedge::server
