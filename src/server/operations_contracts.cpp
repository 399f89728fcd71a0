#include "app/contracts.h"
#include "app/run_state.h"
#include "app/validate.h"
#include "report/contracts.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Node;

Answer run_validate(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"connect", "select"});
  app::ValidateRequest request;
  request.reach = flag_member(arguments, "connect") ? app::Reach::Connect : app::Reach::Offline;
  request.select = narrowing_member(arguments, "select");
  return {200, report::validation_json(app::validate(context, request))};
}

Answer run_drift(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"entities"});
  const app::ShowResult shown = app::show_schemas(context, narrowing_member(arguments, "entities"));
  if (!shown.problems.empty()) {
    throw Error(shown.problems.front());
  }
  return {200, report::show_json(shown)};
}

Answer run_runs(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {});
  return {200, report::runs_json(app::list_runs(context))};
}

}  // namespace

std::vector<Operation> contract_operations() {
  Operation validate;
  validate.name = "validate_contracts";
  validate.title = "Validate declarations and contracts";
  validate.description =
      "Finds what is wrong in the project's declarations; with `connect`, also where a source or "
      "target differs from its contract.";
  validate.input_schema = object_schema(
      {{"connect", flag_schema("Compare with the databases and files")},
       {"select", narrowing_schema(list_schema("Only these entities or pipelines"))}});
  validate.run = run_validate;
  validate.method = "POST";
  validate.pattern = "/contracts/validate";
  validate.failures = {400, 404, 422};
  Operation drift;
  drift.name = "contract_drift";
  drift.title = "Baselines and what was last seen";
  drift.description =
      "Accepted baselines side by side with the latest observed shapes, and what differs. Opens no "
      "connection.";
  drift.input_schema =
      object_schema({{"entities", narrowing_schema(list_schema("connection.entity"))}});
  drift.run = run_drift;
  drift.method = "POST";
  drift.pattern = "/contracts/drift";
  drift.failures = {400, 404, 422};
  Operation runs;
  runs.name = "contract_runs";
  runs.title = "Runs of the pipelines";
  runs.description = "What is kept of runs, newest first: state, nodes, drifted entities.";
  runs.input_schema = object_schema({});
  runs.run = run_runs;
  runs.method = "GET";
  runs.pattern = "/contracts/runs";
  return {validate, drift, runs};
}

}  // namespace kedge::server
