#include <algorithm>
#include <map>

#include "app/check.h"
#include "app/connections.h"
#include "app/guard_inputs.h"
#include "app/guard_models.h"
#include "app/models.h"
#include "base/overloaded.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

using models::DeleteReason;

Code code_of(const std::string& name) {
  const CodeEntry* entry = find_code(name);
  return entry != nullptr ? entry->code : codes::ERR_INTERNAL;
}

// "column:kg" -> kind and name.
std::pair<std::string, std::string> split_target(const std::string& target) {
  const std::size_t colon = target.find(':');
  return {target.substr(0, colon), target.substr(colon + 1)};
}

template <class Items, class Name>
std::optional<models::Place> place_in(const Items& items, const std::string& wanted, Name name) {
  for (const auto& item : items) {
    if (name(item) == wanted) {
      return item.place;
    }
  }
  return std::nullopt;
}

models::Place place_of(const models::Model& model, const std::string& target) {
  const auto [kind, name] = split_target(target);
  const auto by_name = [](const auto& item) -> const std::string& { return item.name; };
  std::optional<models::Place> place;
  if (kind == "column") {
    place = place_in(model.columns, name, by_name);
  } else if (kind == "measure") {
    place = place_in(model.measures, name, by_name);
  } else if (kind == "aggregation") {
    place = place_in(model.aggregations, name, by_name);
  } else if (kind == "join") {
    place = place_in(model.joins, name,
                     [](const models::Join& join) -> const std::string& { return join.hop(); });
  } else if (kind == "filter") {
    place = place_in(model.filters, name, [](const models::Filter& filter) -> const std::string& {
      return filter.text;
    });
  }
  return place.value_or(model.place);
}

bool is_of_file(const models::CheckFailure& failure, const std::vector<Finding>& problems) {
  return std::any_of(problems.begin(), problems.end(), [&](const Finding& problem) {
    return problem.severity == Severity::Error &&
           problem.subject.connection == failure.data_source &&
           problem.subject.name == failure.model_name &&
           problem.problem.code.name() == failure.code;
  });
}

// What a database did not answer: at its connection, or at the model that asked. What is wrong with
// a model's file is among the problems, with its own place.
void add_failures(const Context& context, const ModelCheck& check, GuardReport& report) {
  for (const models::CheckFailure& failure : check.result.failures) {
    if (is_of_file(failure, check.result.problems)) {
      continue;
    }
    const bool whole = failure.model_name.empty();
    const models::ModelId id{failure.data_source, failure.model_name};
    report.failures.push_back(
        {code_of(failure.code),
         failure.data_source + (whole ? "" : "." + failure.model_name) + ": " + failure.message,
         whole ? declared_at(context, failure.data_source)
               : position_of(check.store, id, "model:" + failure.model_name),
         failure.code == codes::connection_failed.name() ? "kedge connections test tries it" : "",
         {}});
  }
}

}  // namespace

std::optional<Position> position_of(const models::ModelStore& store, const models::ModelId& id,
                                    const std::string& target) {
  for (const models::LoadedModel& loaded : store.set.models) {
    if (loaded.id() == id) {
      const auto file = store.files.find(id);
      const models::Place place = place_of(loaded.model, target);
      return Position{file != store.files.end() ? file->second : "", place.line, place.column};
    }
  }
  return std::nullopt;
}

Finding model_finding(const models::ModelStore& store, const models::ModelId& id,
                      const DeleteReason& reason) {
  const auto [kind, name] = split_target(reason.target);
  Finding finding;
  finding.problem.code = code_of(reason.code);
  finding.problem.message = "model '" + id.second + "': " + reason.reason;
  finding.problem.where = position_of(store, id, reason.target);
  finding.subject = {kind, id.first, kind == "model" ? "" : id.second, name};
  return finding;
}

Guard models_guard() {
  Guard guard;
  guard.name = "models";
  guard.reads_databases = true;
  guard.summary = "semantic models against the live databases";
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    add_connections(inputs, context);
    inputs.files.emplace_back("models");
    return inputs;
  };
  guard.present = [](const Context& context) { return folder_has_files(context, "models"); };
  guard.run = [](Context& context, GuardReport& report) {
    const ModelCheck check = check_models(context, {});
    for (const models::ToDeleteEntry& entry : check.result.entries) {
      const models::ModelId id = {models::data_source(entry), models::model_name(entry)};
      for (const DeleteReason& reason : models::reasons(entry)) {
        report.findings.push_back(model_finding(check.store, id, reason));
      }
    }
    add_failures(context, check, report);
    for (const Finding& problem : check.result.problems) {
      if (problem.severity != Severity::Error) {
        report.findings.push_back(problem);
      } else {
        report.failures.push_back(problem.problem);
      }
    }
    for (const models::ExplainedDrop& drop : explain_drops(check)) {
      report.chain.push_back({drop.model.second + " " + drop.reason.target,
                              position_of(check.store, drop.model, drop.reason.target),
                              drop.cause});
    }
    report.message = std::to_string(check.store.set.models.size()) + " models over " +
                     std::to_string(check.live.size()) + " data source(s)";
  };
  return guard;
}

}  // namespace kedge::app
