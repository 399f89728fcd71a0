#include "pipeline/drift.h"

#include "kedge/codes.h"
#include "project/project.h"

namespace kedge::pipeline {
namespace {

using contracts::Baseline;
using contracts::Baselines;
using contracts::Shape;
using contracts::ShapeChange;
using document::Json;

Json columns_json(const Shape& shape) {
  Json columns = Json::array();
  for (const contracts::ShapeColumn& column : shape.columns) {
    Json item;
    item.set("name", column.name);
    item.set("type", column.type);
    columns.push(std::move(item));
  }
  return columns;
}

Json changes_json(const std::vector<ShapeChange>& changes) {
  Json list = Json::array();
  for (const ShapeChange& change : changes) {
    list.push(contracts::change_json(change));
  }
  return list;
}

class Watch {
 public:
  Watch(const Engine& engine, State& state, const DriftRequest& request)
      : engine_(engine),
        state_(state),
        request_(request),
        read_(request.read),
        observed_{request.landed, request.read.read_hash} {}

  DriftOutcome run() {
    DriftOutcome outcome;
    if (read_.policy == project::OnSourceDrift::Ignore || !read_.contract.empty()) {
      return outcome;
    }
    outcome.observed = observed_;
    const auto known = request_.known.find(read_.label);
    if (known == request_.known.end()) {
      seed();
      return outcome;
    }
    if (known->second.shape.read_hash != observed_.read_hash) {
      reseed(known->second);
      return outcome;
    }
    compare(known->second, outcome);
    return outcome;
  }

 private:
  // Stores the shape unless somebody else was quicker than this run.
  bool store(const std::string& source, const std::optional<Baseline>& expected) {
    const auto lock = state_.lock(60);
    Baselines baselines = state_.baselines();
    const auto now = baselines.find(read_.label);
    const bool untouched = expected ? now != baselines.end() && now->second.shape == expected->shape
                                    : now == baselines.end();
    if (!untouched) {
      engine_.warn({codes::PZ0520,
                    "entity '" + read_.label +
                        "': its baseline was changed by another run in the meantime and is kept",
                    std::nullopt,
                    "",
                    {}},
                   Severity::Note);
      return false;
    }
    baselines[read_.label] = {observed_, engine_.run_id(), source,
                              base::format_utc(engine_.world().clock.now_milliseconds())};
    state_.store(baselines);
    return true;
  }

  Json baseline_fields() const {
    Json fields;
    fields.set("connection", read_.connection);
    fields.set("entity", read_.entity);
    fields.set("columns", columns_json(observed_));
    return fields;
  }

  void seed() {
    if (store("seed", std::nullopt)) {
      engine_.publish("baseline_seeded", baseline_fields(), EventLog::Audience::FileOnly);
    }
  }

  void reseed(const Baseline& before) {
    const std::vector<ShapeChange> changes =
        contracts::compare_shapes(before.shape.columns, observed_.columns);
    if (!store("reseed", before)) {
      return;
    }
    std::string list;
    for (const ShapeChange& change : changes) {
      list += (list.empty() ? "" : ", ") + contracts::to_string(change.kind) + ": " + change.column;
    }
    Problem note;
    note.message = "entity '" + read_.label + "': the read was changed; baseline reseeded (" +
                   (list.empty() ? "same shape" : list) + ")";
    engine_.warn(std::move(note), Severity::Note);
    Json fields = baseline_fields();
    fields.set("changes", changes_json(changes));
    engine_.publish("baseline_reseeded", fields);
  }

  void compare(const Baseline& baseline, DriftOutcome& outcome) {
    const std::vector<ShapeChange> changes =
        contracts::compare_shapes(baseline.shape.columns, observed_.columns);
    if (changes.empty()) {
      return;
    }
    outcome.drift = DriftRecord{project::to_string(read_.policy), changes};
    publish(changes);
    Problem problem{codes::PZ0331,
                    "entity '" + read_.label +
                        "': source drift: " + contracts::changes_text(changes) +
                        " — run 'kedge schema accept " + read_.label + "' to accept",
                    std::nullopt,
                    "",
                    {}};
    if (read_.policy == project::OnSourceDrift::Fail) {
      outcome.failure = std::move(problem);
    } else {
      engine_.warn(std::move(problem));
    }
  }

  void publish(const std::vector<ShapeChange>& changes) {
    Json fields;
    fields.set("node_id", request_.node_id);
    fields.set("connection", read_.connection);
    fields.set("entity", read_.entity);
    fields.set("policy", project::to_string(read_.policy));
    fields.set("changes", changes_json(changes));
    fields.set("observed", columns_json(observed_));
    fields.set("read_hash", observed_.read_hash);
    if (const auto guess = contracts::guess_rename(changes)) {
      Json item;
      item.set("from", guess->from);
      item.set("to", guess->to);
      Json list = Json::array();
      list.push(std::move(item));
      fields.set("rename_guess", std::move(list));
    }
    engine_.publish("source_drift_detected", fields);
  }

  const Engine& engine_;
  State& state_;
  const DriftRequest& request_;
  const ReadSpec& read_;
  Shape observed_;
};

}  // namespace

DriftOutcome watch_drift(const Engine& engine, State& state, const DriftRequest& request) {
  return Watch(engine, state, request).run();
}

}  // namespace kedge::pipeline
