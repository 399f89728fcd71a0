#include "app/contracts.h"

#include <algorithm>
#include <set>

#include "app/pipeline.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/state.h"
#include "project/project.h"

namespace kedge::app {
namespace {

using contracts::Observation;

// project.yml is the only file that is read: pipelines may be broken, connections gone.
pipeline::State open_state(Context& context) {
  const project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  return {context.files, context.folder, load.project.state_dir.text};
}

std::vector<Observation> observations(const pipeline::RunRecord& record) {
  std::vector<Observation> found;
  for (const pipeline::NodeRecord& node : record.nodes) {
    if (node.observed) {
      found.push_back({node.connection + "." + node.entity, *node.observed});
    }
  }
  return found;
}

bool has(const std::vector<Observation>& observed, const std::string& entity) {
  return std::any_of(observed.begin(), observed.end(),
                     [&](const Observation& o) { return o.entity == entity; });
}

// An older run that saw the entity.
std::optional<std::string> older_run(const pipeline::State& state, const std::string& entity) {
  const std::vector<std::string> ids = state.run_ids();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    const std::optional<pipeline::RunRecord> record = state.record(*id);
    if (record && record->status != pipeline::RunStatus::Running &&
        has(observations(*record), entity)) {
      return *id;
    }
  }
  return std::nullopt;
}

Problem unknown_target(const pipeline::State& state, const std::string& entity,
                       const std::string& run) {
  Problem problem;
  problem.code = codes::PZ0127;
  problem.message = "'" + db::redact_url(entity) + "' has no observed schema in " +
                    (run.empty() ? "any run" : "run " + run);
  problem.hint = "run with on_source_drift: warn or fail first";
  if (const std::optional<std::string> older = older_run(state, entity)) {
    problem.hint += ", or accept an older one with --run " + *older;
  }
  return problem;
}

void audit(pipeline::State& state, const AcceptRequest& request, const std::string& run_id,
           const std::string& at, const contracts::Acceptance& acceptance) {
  for (const std::string& entity : acceptance.entities) {
    document::Json changes = document::Json::array();
    for (const contracts::AcceptedChange& change : acceptance.changes) {
      if (change.entity == entity) {
        changes.push(contracts::change_json(change.change));
      }
    }
    document::Json line;
    line.set("at", at);
    line.set("action", "schema accept");
    line.set("entity", entity);
    line.set("run_id", run_id);
    line.set("changes", std::move(changes));
    if (!request.reason.empty()) {
      line.set("reason", request.reason);
    }
    state.append_audit(line);
  }
}

}  // namespace

AcceptResult accept_schemas(Context& context, const AcceptRequest& request) {
  AcceptResult result;
  pipeline::State state = open_state(context);
  const std::optional<pipeline::RunRecord> record =
      request.run_id ? state.record(*request.run_id) : state.latest_finished();
  if (request.run_id && !record) {
    result.problems.push_back(
        {codes::PZ0127, "there is no run '" + *request.run_id + "'", std::nullopt, "", {}});
    return result;
  }
  const std::vector<Observation> observed =
      record ? observations(*record) : std::vector<Observation>{};
  for (const std::string& target : request.targets) {
    if (!has(observed, target)) {
      result.problems.push_back(unknown_target(state, target, record ? record->run_id : ""));
    }
  }
  if (!result.problems.empty() || !record) {
    return result;
  }
  const auto lock = state.lock(30);
  const std::string at = base::format_utc(context.clock.now_milliseconds());
  const contracts::Acceptance acceptance =
      contracts::accept(state.baselines(), {observed, request.targets, record->run_id, at});
  if (!acceptance.changes.empty()) {
    state.store(acceptance.baselines);
    audit(state, request, record->run_id, at, acceptance);
  }
  result.changes = acceptance.changes;
  return result;
}

bool ShowResult::pending() const {
  return std::any_of(schemas.begin(), schemas.end(),
                     [](const ShownSchema& schema) { return !schema.pending.empty(); });
}

ShowResult show_schemas(Context& context, const std::vector<std::string>& targets) {
  ShowResult result;
  const pipeline::State state = open_state(context);
  const contracts::Baselines baselines = state.baselines();
  const std::optional<pipeline::RunRecord> record = state.latest_finished();
  std::map<std::string, ShownSchema> schemas;
  for (const auto& [entity, baseline] : baselines) {
    schemas[entity].baseline = baseline;
  }
  if (record) {
    for (const Observation& observation : observations(*record)) {
      schemas[observation.entity].observed = observation.shape;
    }
  }
  for (auto& [entity, schema] : schemas) {
    schema.entity = entity;
    if (schema.observed) {
      const auto before =
          schema.baseline ? schema.baseline->shape.columns : std::vector<contracts::ShapeColumn>{};
      schema.pending = contracts::compare_shapes(before, schema.observed->columns);
      const auto natives = contracts::compare_natives(before, schema.observed->columns);
      schema.pending.insert(schema.pending.end(), natives.begin(), natives.end());
    }
  }
  for (const std::string& target : targets) {
    if (!schemas.contains(target)) {
      result.problems.push_back(
          unknown_target(state, target, record ? record->run_id : std::string()));
    }
  }
  for (auto& [entity, schema] : schemas) {
    if (targets.empty() || std::find(targets.begin(), targets.end(), entity) != targets.end()) {
      result.schemas.push_back(std::move(schema));
    }
  }
  return result;
}

}  // namespace kedge::app
