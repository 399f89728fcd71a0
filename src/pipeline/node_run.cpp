#include "pipeline/node_run.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/capture.h"
#include "pipeline/cursor.h"
#include "pipeline/drift.h"
#include "pipeline/land.h"
#include "pipeline/lint.h"
#include "pipeline/plain_selection.h"
#include "pipeline/push_down.h"
#include "pipeline/render.h"
#include "pipeline/write.h"

namespace kedge::pipeline {
namespace {

bool is_transient(db::FailureClass failure) {
  return failure == db::FailureClass::Connection || failure == db::FailureClass::Timeout ||
         failure == db::FailureClass::Lock;
}

// base * 2^(n-1), capped, plus or minus a quarter.
std::int64_t delay_of(const Engine& engine, const project::Retry& retry, std::int64_t attempt) {
  std::int64_t delay = retry.base_delay_ms;
  for (std::int64_t i = 1; i < attempt && delay < retry.max_delay_ms; ++i) {
    delay *= 2;
  }
  delay = std::min(delay, retry.max_delay_ms);
  const std::string digits = engine.world().environment.random_hex(4);
  const std::int64_t random = std::stoll(digits, nullptr, 16) % 501;  // 0 to 500
  return delay * (750 + random) / 1000;
}

void sleep_unless_interrupted(const Engine& engine, std::int64_t milliseconds) {
  const std::int64_t end = engine.world().clock.monotonic_milliseconds() + milliseconds;
  while (!engine.interrupted() && !engine.timed_out() &&
         engine.world().clock.monotonic_milliseconds() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void NodeRun::run() {
  switch (node_.kind) {
    case NodeKind::Source:
      return load();
    case NodeKind::Pipeline:
      return transform();
    case NodeKind::Check:
      return check();
    case NodeKind::Write:
      return write();
  }
}

template <class Work>
void NodeRun::with_retry(const project::Retry& retry, Work work) {
  for (std::int64_t attempt = 1;; ++attempt) {
    try {
      work();
      return;
    } catch (const db::DatabaseError& error) {
      if (!is_transient(error.failure()) || attempt >= retry.max_attempts ||
          engine_.interrupted() || engine_.timed_out()) {
        throw;
      }
      const std::int64_t delay = delay_of(engine_, retry, attempt);
      document::Json fields;
      fields.set("node_id", node_.id);
      fields.set("name", node_.name);
      fields.set("attempt", attempt + 1);
      fields.set("max_attempts", retry.max_attempts);
      fields.set("delay_ms", delay);
      fields.set("reason", engine_.workspace().hide(error.problem().message));
      engine_.publish("retry_scheduled", fields);
      sleep_unless_interrupted(engine_, delay);
    }
  }
}

std::optional<StoredCursor> NodeRun::stored(const ReadSpec& read) const {
  const auto found = memory_.cursors.find(read.label);
  if ((!read.cursor && !read.change_capture) || memory_.refresh == Refresh::Full ||
      found == memory_.cursors.end()) {
    return std::nullopt;
  }
  return found->second;
}

// Copies a table of the run that is retried; false when it is not there as it was recorded.
bool NodeRun::reuse_table(const std::string& table, std::int64_t rows) {
  const std::string old = base::join_path(
      engine_.world().folder, ".kedge/runs/" + memory_.retry_of->run_id + "/staging.duckdb");
  if (!engine_.world().files.kind(old)) {
    return false;
  }
  const Engine::Held staging = engine_.staging();
  const std::string alias = "prev_" + node_.id.substr(0, 12);
  bool same = false;
  try {
    staging->execute("ATTACH IF NOT EXISTS " + quote_literal(old) +
                     " AS kedge_previous (READ_ONLY)");
    const std::string from = "kedge_previous.staging." + quote_name(table);
    same = query_count(*staging, "SELECT count(*) FROM " + from) == rows;
    if (same) {
      staging->execute("CREATE OR REPLACE TABLE " + staging_table(table) + " AS SELECT * FROM " +
                       from);
      if (is_snapshot(*staging, table, "kedge_previous")) {
        mark_snapshot(*staging, table);
      }
    }
  } catch (const db::DatabaseError&) {
    same = false;  // it is read again
  }
  return same;
}

bool NodeRun::reuse_load(const ReadSpec& read) {
  if (!memory_.retry_of || memory_.refresh == Refresh::Full ||
      is_pushed_down(engine_.workspace(), node_.index)) {
    return false;
  }
  const NodeRecord* before = memory_.retry_of->find(node_.name);
  const bool only_drift = before != nullptr && before->status == NodeStatus::Failed &&
                          before->drift && before->error && before->error->code == "PZ0331";
  const bool usable = before != nullptr && before->id == node_.id &&
                      (before->status == NodeStatus::Success || only_drift);
  if (!usable) {
    return false;
  }
  if (!reuse_table(read.staging, before->rows)) {
    Problem note;
    note.message = "entity '" + read.label + "': its staged rows are gone; it is read again";
    engine_.warn(std::move(note), Severity::Note);
    return false;
  }
  record_.provenance = "reused";
  record_.rows = before->rows;
  const Engine::Held staging = engine_.staging();
  std::vector<contracts::ShapeColumn> landed = describe_landed(*staging, read);
  if (before->observed) {
    landed = before->observed->columns;
  }
  watch(read, landed);
  if (before->watermark) {
    offer(*before->watermark);
  }
  return true;
}

void NodeRun::watch(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& landed) {
  DriftOutcome outcome =
      watch_drift(engine_, memory_.state, {read, node_.id, landed, memory_.baselines});
  record_.observed = std::move(outcome.observed);
  record_.drift = std::move(outcome.drift);
  if (outcome.failure) {
    throw Error(std::move(*outcome.failure));
  }
}

void NodeRun::offer(const WatermarkRecord& candidate) {
  record_.watermark = candidate;
  const std::lock_guard<std::mutex> guard(memory_.mutex);
  memory_.candidates[node_.index] = candidate;
}

void NodeRun::offer_cursor(const ReadSpec& read) {
  if (!read.cursor) {
    return;
  }
  const Engine::Held staging = engine_.staging();
  const std::optional<WatermarkRecord> candidate = find_candidate(*staging, read, stored(read));
  if (candidate) {
    offer(*candidate);
  }
}

void NodeRun::load() {
  const ReadSpec& read = engine_.workspace().reads[node_.index];
  if (reuse_load(read)) {
    return;
  }
  const std::optional<StoredCursor> bound = stored(read);
  if (bound) {
    check_stored_type(read, *bound);
  }
  const SlotUse use = memory_.mode == RunMode::Test ? SlotUse::LeaveAlone : SlotUse::Keep;
  Landed landed;
  with_retry(read.retry, [&] {
    landed = is_pushed_down(engine_.workspace(), node_.index) ? observe_remote(engine_, read)
                                                              : land(engine_, read, bound, use);
  });
  record_.rows = landed.rows;
  if (is_pushed_down(engine_.workspace(), node_.index)) {
    watch(read, landed.columns);
    return;
  }
  if (read.is_file() && read.contract.empty()) {
    lint_inference(engine_, read);
  }
  watch(read, landed.columns);
  if (!landed.position.empty()) {
    offer({"lsn", std::string(kCapturePosition), landed.position});
  }
  offer_cursor(read);
}

// A view needs no second copy of the rows; what quarantines rows has to be able to delete them.
bool NodeRun::stages_view(db::Connection& staging, const std::string& sql) const {
  const PipelineSpec& pipeline = engine_.workspace().pipelines[node_.index];
  return !quarantines(engine_.workspace(), node_.index) &&
         (pipeline.materialization == Materialization::View || is_plain_selection(staging, sql));
}

void NodeRun::transform() {
  const Workspace& workspace = engine_.workspace();
  const PipelineSpec& pipeline = workspace.pipelines[node_.index];
  if (!pipeline.run_in.empty()) {
    record_.rows = transform_remote(engine_, node_.index);
    return;
  }
  const Engine::Held staging = engine_.staging();
  RenderContext context{workspace,
                        engine_.world().environment,
                        engine_.run_id(),
                        engine_.started_at(),
                        [&](const PipelineSpec& used, std::size_t use) {
                          const WatermarkUse& watermark = used.watermarks[use];
                          const ReadSpec& read = workspace.reads[watermark.read];
                          std::string type;
                          for (const auto& column : describe_staged(*staging, read.staging)) {
                            type = column.name == watermark.column ? column.type : type;
                          }
                          return watermark_literal(stored(read), type, watermark.comparison);
                        },
                        EnvironmentValues::Real,
                        {}};
  const std::string sql = render_pipeline(context, node_.index);
  const bool view = stages_view(*staging, sql);
  try {
    staging->execute(std::string("CREATE OR REPLACE ") + (view ? "VIEW " : "TABLE ") +
                     staging_table(pipeline.name) + " AS " + sql);
  } catch (const db::DatabaseError& error) {
    if (error.failure() == db::FailureClass::Cancelled ||
        error.failure() == db::FailureClass::Resource) {
      throw;
    }
    throw Error(codes::PZ0501, "pipeline '" + pipeline.name + "': " + workspace.said(error));
  }
  record_.rows = query_count(*staging, "SELECT count(*) FROM " + staging_table(pipeline.name));
}

CheckRequest NodeRun::check_request() const {
  const Workspace& workspace = engine_.workspace();
  CheckRequest request{node_.name, "", "", "", check_of(workspace, node_)};
  if (node_.subject == CheckSubject::Entity) {
    const ReadSpec& read = workspace.reads[node_.index];
    request.on = "entity:" + read.label;
    request.label = "entity '" + read.label + "'";
    request.table = read.staging;
    request.contracted = !read.contract.empty();
    return request;
  }
  const bool of_write = node_.subject == CheckSubject::Write;
  const std::size_t index = of_write ? workspace.writes[node_.index].pipeline : node_.index;
  request.table = workspace.pipelines[index].name;
  request.contracted = of_write && !workspace.writes[node_.index].contract.empty();
  request.on =
      of_write ? "write:" + workspace.writes[node_.index].target : "pipeline:" + request.table;
  request.label = of_write ? "target '" + workspace.writes[node_.index].target + "'"
                           : "pipeline '" + request.table + "'";
  return request;
}

// The connection whose database holds what is checked; empty: the staging database.
std::string NodeRun::remote_of_check() const {
  const Workspace& workspace = engine_.workspace();
  switch (node_.subject) {
    case CheckSubject::Entity:
      return is_pushed_down(workspace, node_.index) ? workspace.reads[node_.index].connection : "";
    case CheckSubject::Pipeline:
      return workspace.pipelines[node_.index].run_in;
    case CheckSubject::Write:
      break;
  }
  return workspace.pipelines[workspace.writes[node_.index].pipeline].run_in;
}

// Facts speak of the rows that are there, not of keys that are gone.
CheckTable NodeRun::check_table(db::Connection& staging, const std::string& name) const {
  CheckTable table = staged_check_table(staging, name);
  if (node_.subject == CheckSubject::Entity &&
      engine_.workspace().reads[node_.index].change_capture) {
    table.sql = "(SELECT * FROM " + table.sql + " WHERE NOT " + quote_name(kDeletedColumn) + ")";
  }
  return table;
}

void NodeRun::check() {
  const CheckRequest request = check_request();
  const std::string remote = remote_of_check();
  const Engine::Held connection =
      remote.empty() ? engine_.staging() : engine_.open(remote, Engine::Use::Read);
  const CheckTable table = remote.empty() ? check_table(*connection, request.table)
                                          : remote_check_table(engine_, *connection, request.table);
  const CheckOutcome outcome = run_check(engine_, *connection, request, table);
  record_.rows = outcome.record.rows;
  record_.quarantined = outcome.quarantined;
  {
    const std::lock_guard<std::mutex> guard(memory_.mutex);
    memory_.checks.push_back(outcome.record);
  }
  engine_.publish("check_completed", to_json(outcome.record));
  if (outcome.record.status == "fail" || outcome.record.status == "error") {
    engine_.publish("check_failed", to_json(outcome.record), EventLog::Audience::FileOnly);
    throw Error(codes::PZ0510, outcome.message);
  }
  if (outcome.record.status == "warn") {
    engine_.warn({codes::PZ0510, outcome.message, std::nullopt, "", {}});
  }
}

void NodeRun::write() {
  const WriteSpec& spec = engine_.workspace().writes[node_.index];
  const NodeRecord* before = memory_.retry_of ? memory_.retry_of->find(node_.name) : nullptr;
  if (before != nullptr && before->status == NodeStatus::Success && before->id == node_.id &&
      memory_.refresh == Refresh::Incremental) {
    record_.provenance = "carried_forward";
    record_.rows = before->rows;
    return;
  }
  WriteRecord written;
  with_retry(spec.retry, [&] {
    const bool remote = !engine_.workspace().pipelines[spec.pipeline].run_in.empty();
    written = remote ? write_remote(engine_, spec) : write_target(engine_, spec);
  });
  record_.rows = written.rows;
  const std::lock_guard<std::mutex> guard(memory_.mutex);
  memory_.writes.push_back(std::move(written));
}

}  // namespace kedge::pipeline
