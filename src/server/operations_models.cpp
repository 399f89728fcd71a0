#include "app/models.h"
#include "kedge/codes.h"
#include "report/models.h"
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
  if (!source) {
    source = text_member(arguments, "datasource");
  }
  if (!source) {
    throw Error(codes::ERR_BODY, "'data_source' is needed");
  }
  models::IngestOptions options;
  options.schema_name = text_member(arguments, "schema_name").value_or("");
  options.scope.include_tables = list_member(arguments, "include_tables");
  options.scope.exclude_tables = list_member(arguments, "exclude_tables");
  const models::IdempotentIngestResult result = app::ingest_models(context, *source, options);
  return {result.errors.empty() ? 200 : 422, report::ingest_json(result)};
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
  operation.input_schema =
      object_schema({{"data_source", text_schema("The connection")},
                     {"datasource", text_schema("Another spelling of data_source")},
                     {"schema_name", nullable_text_schema("Only this schema")},
                     {"include_tables", list_schema("Only these tables; * is any text")},
                     {"exclude_tables", list_schema("Not these tables")}});
  operation.run = ingest;
  operation.method = "POST";
  operation.pattern = "/ingest";
  operation.read_only = false;
  operation.failures = {404, 422};
  return operation;
}

}  // namespace

std::vector<Operation> model_operations() {
  return {validate_operation(), ingest_operation()};
}

}  // namespace kedge::server
