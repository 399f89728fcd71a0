#include "pipeline/run.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <set>
#include <thread>

#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/delivery.h"
#include "pipeline/hooks.h"
#include "pipeline/node_run.h"
#include "pipeline/push_down.h"
#include "pipeline/remote_schema.h"
#include "pipeline/storage.h"

namespace kedge::pipeline {
namespace {

// How long a node whose statements were cancelled may take to stop.
constexpr std::int64_t kStopMilliseconds = 10'000;
// Rounds of the watcher between two cancellations of an interrupted run.
constexpr std::int64_t kCancelRounds = 5;

bool is_cancelled(const Error& error) {
  const auto* failure = dynamic_cast<const db::DatabaseError*>(&error);
  return error.code() == codes::ERR_CANCELLED ||
         (failure != nullptr && failure->failure() == db::FailureClass::Cancelled);
}

// Moves the state of all nodes under one lock; workers take what is ready. Lives as long as a
// worker that never stops (PZ0526), so it keeps copies of what it was given.
class Runner : public std::enable_shared_from_this<Runner> {
 public:
  Runner(World world, std::shared_ptr<const Workspace> workspace, FlowGraph graph,
         RunRequest request, RunListener listener)
      : world_(std::move(world)),
        workspace_(std::move(workspace)),
        graph_(std::move(graph)),
        request_(std::move(request)),
        listener_(std::move(listener)),
        run_id_(base::format_utc_compact(world_.clock.now_milliseconds()) + "-" +
                world_.environment.random_hex(4)),
        state_(world_.files, world_.folder, workspace_->project.state_dir.text),
        engine_(world_, workspace_, run_id_),
        memory_{state_.baselines(),
                state_.cursors(),
                request_.refresh,
                request_.retry_of,
                request_.mode,
                state_,
                {},
                {},
                {},
                {}} {}

  RunRecord run() {
    begin();
    const std::int64_t start = world_.clock.monotonic_milliseconds();
    const std::size_t threads =
        std::min<std::size_t>(static_cast<std::size_t>(workspace_->project.engine.threads),
                              std::max<std::size_t>(1, request_.nodes.size()));
    std::unique_lock<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < threads; ++i) {
      add_worker();
    }
    std::thread watcher([this] { watch(); });
    changed_.wait(lock, [this] { return working_ == 0; });
    lock.unlock();
    done_ = true;
    watcher.join();
    for (Worker& worker : workers_) {
      if (worker.thread.joinable()) {
        worker.thread.join();
      }
    }
    finish(world_.clock.monotonic_milliseconds() - start);
    return record_;
  }

 private:
  struct Worker {
    std::thread thread;
    std::optional<std::size_t> node;  // what it works on
    std::int64_t start = 0;
    bool abandoned = false;
  };

  // Called under the lock.
  void add_worker() {
    Worker& worker = workers_.emplace_back();
    ++working_;
    worker.thread = std::thread([self = shared_from_this(), &worker] { self->work(worker); });
  }

  // A run that stops before its first node says so in its record, if that can be written.
  void begin() {
    try {
      open();
    } catch (const Error& error) {
      record_.status = RunStatus::Fatal;
      record_.finished_at = base::format_utc(world_.clock.now_milliseconds());
      staging_.reset();
      store_quietly();
      throw Error(storage_problem(error.problem()));
    }
  }

  void store_quietly() {
    try {
      state_.store(record_);
    } catch (const Error& error) {
      // The first failure is the one that is told.
      failure_ = failure_ ? failure_ : std::optional(error.problem());
    }
  }

  void open() {
    record_.run_id = run_id_;
    record_.started_at = engine_.started_at();
    record_.selection = request_.selection;
    world_.files.make_folder(engine_.run_folder());
    alive_ = std::make_unique<base::FileLock>(engine_.alive_path(run_id_), 0, codes::PZ0533);
    events_ = std::make_unique<EventLog>(base::join_path(engine_.run_folder(), "events.ndjson"),
                                         run_id_, world_.clock, listener_.on_event);
    install_hooks(*events_, engine_);
    engine_.events = events_.get();
    engine_.on_warning = listener_.on_warning;
    engine_.on_line = listener_.on_line;
    staging_ = engine_.staging();
    staging_->execute("CREATE SCHEMA IF NOT EXISTS staging");
    for (const std::size_t index : request_.nodes) {
      add_node(index);
    }
    state_.store(record_);
    remotes_.open(remote_connections());
    document::Json fields;
    fields.set("project", workspace_->project.name);
    fields.set("node_count", record_.nodes.size());
    engine_.publish("run_started", fields);
  }

  // Where selected pipelines are pushed down to.
  std::vector<std::string> remote_connections() const {
    std::set<std::string> names;
    for (const std::size_t index : request_.nodes) {
      const GraphNode& node = graph_.nodes[index];
      if (node.kind == NodeKind::Pipeline && !workspace_->pipelines[node.index].run_in.empty()) {
        names.insert(workspace_->pipelines[node.index].run_in);
      } else if (node.kind == NodeKind::Source && is_pushed_down(*workspace_, node.index)) {
        names.insert(workspace_->reads[node.index].connection);
      }
    }
    return {names.begin(), names.end()};
  }

  void add_node(std::size_t index) {
    const GraphNode& node = graph_.nodes[index];
    NodeRecord record;
    record.id = node.id;
    record.kind = to_string(node.kind);
    record.name = node.name;
    record.connection = node.connection;
    record.entity = node.entity;
    if (request_.mode == RunMode::Test && node.kind == NodeKind::Write) {
      return;
    }
    slots_[index] = record_.nodes.size();
    record_.nodes.push_back(std::move(record));
    waiting_.insert(index);
  }

  bool is_selected(std::size_t index) const { return slots_.contains(index); }
  NodeRecord& slot(std::size_t index) { return record_.nodes[slots_.at(index)]; }

  // Everything before it has ended.
  bool is_ready(std::size_t index) {
    const GraphNode& node = graph_.nodes[index];
    const auto ended = [&](std::size_t other) {
      return !is_selected(other) || (!waiting_.contains(other) && !running_.contains(other));
    };
    return std::all_of(node.parents.begin(), node.parents.end(), ended) &&
           std::all_of(node.after.begin(), node.after.end(), ended);
  }

  bool is_blocked(std::size_t index) {
    const GraphNode& node = graph_.nodes[index];
    return std::any_of(node.parents.begin(), node.parents.end(), [&](std::size_t parent) {
      return is_selected(parent) && slot(parent).status != NodeStatus::Success;
    });
  }

  bool has_room(std::size_t index) const {
    const GraphNode& node = graph_.nodes[index];
    if (node.connection.empty()) {
      return true;
    }
    const auto limit = workspace_->connection(node.connection).max_concurrency;
    const auto used = std::count_if(running_.begin(), running_.end(), [&](std::size_t other) {
      return graph_.nodes[other].connection == node.connection;
    });
    return !limit || used < *limit;
  }

  // Called under the lock. Skips what can no longer run.
  std::optional<std::size_t> take() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t index : waiting_) {
        if (!is_ready(index)) {
          continue;
        }
        if (stopped_ || engine_.interrupted() || is_blocked(index)) {
          waiting_.erase(index);
          end_node(index, NodeStatus::Skipped);
          moved = true;
          break;
        }
        if (has_room(index)) {
          waiting_.erase(index);
          running_.insert(index);
          return index;
        }
      }
    }
    return std::nullopt;
  }

  void work(Worker& worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!worker.abandoned) {
      const std::optional<std::size_t> index = take();
      if (index) {
        run_node(worker, *index, lock);
        changed_.notify_all();
      } else if (waiting_.empty()) {
        break;
      } else {
        changed_.wait(lock);
      }
    }
    working_ -= worker.abandoned ? 0 : 1;
    changed_.notify_all();
  }

  // Called under the lock, which is free while the node runs.
  void run_node(Worker& worker, std::size_t index, std::unique_lock<std::mutex>& lock) {
    const GraphNode& node = graph_.nodes[index];
    NodeRecord local = slot(index);
    worker.node = index;
    worker.start = world_.clock.monotonic_milliseconds();
    lock.unlock();
    document::Json fields;
    fields.set("node_id", node.id);
    fields.set("kind", to_string(node.kind));
    fields.set("name", node.name);
    engine_.publish("node_started", fields);
    NodeStatus status = NodeStatus::Success;
    {
      const Engine::NodeScope scope(engine_, worker.start);
      status = attempt(node, local);
    }
    local.duration_ms = world_.clock.monotonic_milliseconds() - worker.start;
    lock.lock();
    if (worker.abandoned) {
      return;
    }
    worker.node.reset();
    slot(index) = local;
    running_.erase(index);
    end_node(index, status);
  }

  // Called under the lock. A node that does not stop is left behind: nothing it does counts any
  // more, and the process ends without waiting for it.
  void abandon(Worker& worker) {
    const std::size_t index = *worker.node;
    worker.abandoned = true;
    worker.thread.detach();
    record_.abandoned = true;
    NodeRecord& node = slot(index);
    node.duration_ms = world_.clock.monotonic_milliseconds() - worker.start;
    node.error = ErrorRecord{std::string(codes::PZ0526.name()),
                             "node '" + node.name + "' did not stop after " +
                                 (engine_.interrupted() ? "the interruption" : "its time-out")};
    running_.erase(index);
    end_node(index, NodeStatus::Failed);
    --working_;
    add_worker();
    changed_.notify_all();
  }

  // What has not stopped although it should have long ago.
  void abandon_stuck(std::optional<std::int64_t> interrupted_at) {
    const std::int64_t now = world_.clock.monotonic_milliseconds();
    const auto& limit = workspace_->project.engine.node_timeout_ms;
    const std::lock_guard<std::mutex> guard(mutex_);
    for (Worker& worker : workers_) {
      const bool late = limit && now - worker.start > *limit + kStopMilliseconds;
      const bool deaf = interrupted_at && now - *interrupted_at > kStopMilliseconds;
      if (worker.node && !worker.abandoned && (late || deaf)) {
        abandon(worker);
      }
    }
  }

  // The loop that must go on to the next node: an Error becomes the node's result.
  NodeStatus attempt(const GraphNode& node, NodeRecord& local) {
    try {
      NodeRun(engine_, memory_, node, local).run();
      return NodeStatus::Success;
    } catch (const Error& error) {
      Problem problem = error.problem();
      const auto* failure = dynamic_cast<const db::DatabaseError*>(&error);
      if (failure != nullptr && !problem.notes.empty()) {
        problem.notes[0].text = workspace_->said(*failure);
      }
      if (engine_.timed_out()) {
        problem.code = codes::PZ0525;
        problem.message = "node '" + node.name + "' took longer than engine.node_timeout";
      } else if (engine_.interrupted() && is_cancelled(error)) {
        problem.code = codes::PZ0501;
        problem.message = "the run was interrupted";
        problem.notes.clear();
      } else {
        const bool source = node.kind == NodeKind::Source && problem.code != codes::ERR_IO;
        problem =
            storage_problem(std::move(problem), source ? StorageUse::Source : StorageUse::Own);
      }
      local.error = ErrorRecord{std::string(code_of(problem)), message_of(problem)};
    } catch (const std::exception& error) {
      local.error = ErrorRecord{"PZ0500", workspace_->hide(error.what())};
    }
    return NodeStatus::Failed;
  }

  // Codes of other chapters become this chapter's general one.
  static std::string_view code_of(const Problem& problem) {
    return problem.code.name().starts_with("PZ") ? problem.code.name() : codes::PZ0501.name();
  }

  std::string message_of(const Problem& problem) const {
    std::string text = problem.message;
    const bool foreign = !problem.code.name().starts_with("PZ");
    if (foreign && !problem.notes.empty()) {
      text += ": " + problem.notes[0].text;
    }
    if (!problem.hint.empty()) {
      text += " — hint: " + problem.hint;
    }
    return workspace_->hide(base::replace_all(std::move(text), world_.folder + "/", ""));
  }

  // Called under the lock.
  void end_node(std::size_t index, NodeStatus status) {
    NodeRecord& node = slot(index);
    node.status = status;
    record_.checks = memory_checks();
    record_.writes = memory_writes();
    document::Json fields;
    fields.set("node_id", node.id);
    fields.set("kind", node.kind);
    fields.set("name", node.name);
    fields.set("status", to_string(node.status));
    fields.set("rows", node.rows);
    fields.set("duration_ms", node.duration_ms);
    fields.set("error_code", node.error ? document::Json(node.error->code) : document::Json());
    fields.set("error_message",
               node.error ? document::Json(node.error->message) : document::Json());
    if (!node.provenance.empty()) {
      fields.set("provenance", node.provenance);
    }
    engine_.publish("node_completed", fields);
    listener_.on_node(node);
    if (status == NodeStatus::Failed && request_.on_failure == OnFailure::Stop) {
      stopped_ = true;
    }
    store_quietly();
    stopped_ = stopped_ || failure_.has_value();
  }

  std::vector<CheckRecord> memory_checks() {
    const std::lock_guard<std::mutex> guard(memory_.mutex);
    return memory_.checks;
  }
  std::vector<WriteRecord> memory_writes() {
    const std::lock_guard<std::mutex> guard(memory_.mutex);
    return memory_.writes;
  }

  // Turns a signal and a node's time limit into cancelled statements.
  void watch() {
    std::optional<std::int64_t> interrupted_at;
    for (std::int64_t round = 0; !done_; ++round) {
      if (listener_.stop != nullptr && *listener_.stop != 0 && !interrupted_at) {
        interrupted_at = world_.clock.monotonic_milliseconds();
        round = 0;
      }
      if (round % kCancelRounds == 0) {
        cancel(interrupted_at.has_value());
      }
      abandon_stuck(interrupted_at);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void cancel(bool interrupted) {
    if (interrupted) {
      engine_.interrupt();
      changed_.notify_all();
    }
    if (const auto limit = workspace_->project.engine.node_timeout_ms) {
      engine_.cancel_older_than(*limit);
    }
  }

  void finish(std::int64_t duration) {
    if (failure_) {  // the record of the run could not be kept
      throw Error(*failure_);
    }
    order_results();
    const std::int64_t failed = record_.count(NodeStatus::Failed);
    record_.status = engine_.interrupted() ? RunStatus::Interrupted
                     : failed > 0          ? RunStatus::CompletedWithFailures
                                           : RunStatus::Success;
    if (request_.mode == RunMode::Run) {
      store_cursors();
    }
    record_.finished_at = base::format_utc(world_.clock.now_milliseconds());
    document::Json fields;
    fields.set("status", to_string(record_.status));
    fields.set("succeeded", record_.count(NodeStatus::Success));
    fields.set("failed", failed);
    fields.set("skipped", record_.count(NodeStatus::Skipped));
    fields.set("duration_ms", duration);
    engine_.publish("run_completed", fields);
    staging_.reset();
    remotes_.close();
    state_.store(record_);
    alive_.reset();
    world_.files.remove(engine_.alive_path(run_id_));
    drop_old_staging();
  }

  // Threads end in any order; the record has the order of the graph.
  void order_results() {
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < record_.nodes.size(); ++i) {
      place[record_.nodes[i].name] = i;
    }
    std::sort(
        record_.checks.begin(), record_.checks.end(),
        [&](const CheckRecord& a, const CheckRecord& b) { return place[a.name] < place[b.name]; });
    std::sort(record_.writes.begin(), record_.writes.end(),
              [&](const WriteRecord& a, const WriteRecord& b) {
                return place[a.target] < place[b.target];
              });
  }

  // Cursors move with what was delivered.
  void store_cursors() {
    const auto succeeded = [&](std::size_t index) {
      return is_selected(index) && slot(index).status == NodeStatus::Success;
    };
    for (const auto& [label, problem] :
         deliver_cursors({engine_, graph_, state_, memory_, succeeded})) {
      fail_load(label, problem);
    }
  }

  void fail_load(const std::string& label, const Problem& problem) {
    for (NodeRecord& node : record_.nodes) {
      if (node.kind == "source" && node.connection + "." + node.entity == label) {
        node.status = NodeStatus::Failed;
        node.error = ErrorRecord{std::string(problem.code.name()), problem.message};
        listener_.on_node(node);
      }
    }
    record_.status = RunStatus::CompletedWithFailures;
  }

  // Retention: the staging files of older runs go, their records stay.
  void drop_old_staging() {
    if (!workspace_->project.keep_last) {
      return;
    }
    std::vector<std::string> ids = state_.run_ids();
    const auto keep = static_cast<std::size_t>(*workspace_->project.keep_last);
    const std::size_t old = ids.size() > keep ? ids.size() - keep : 0;
    for (std::size_t i = 0; i < old; ++i) {
      if (state_.is_going_on(ids[i])) {
        continue;
      }
      const std::string file = state_.path(state_.run_folder(ids[i]) + "/staging.duckdb");
      world_.files.remove(file);
      world_.files.remove(file + ".wal");
    }
  }

  World world_;
  std::shared_ptr<const Workspace> workspace_;
  FlowGraph graph_;
  RunRequest request_;
  RunListener listener_;
  std::string run_id_;
  State state_;
  Engine engine_;
  RemoteSchemas remotes_{engine_};
  RunMemory memory_;
  std::unique_ptr<base::FileLock> alive_;
  std::unique_ptr<EventLog> events_;
  Engine::Held staging_;
  RunRecord record_;
  std::map<std::size_t, std::size_t> slots_;  // graph node -> record node
  std::set<std::size_t> waiting_;
  std::set<std::size_t> running_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Worker> workers_;
  std::size_t working_ = 0;         // workers that have not ended and are not abandoned
  std::optional<Problem> failure_;  // the record could not be written
  std::atomic<bool> done_ = false;
  bool stopped_ = false;
};

}  // namespace

RunRecord execute_run(const World& world, std::shared_ptr<const Workspace> workspace,
                      const FlowGraph& graph, const RunRequest& request,
                      const RunListener& listener) {
  return std::make_shared<Runner>(world, std::move(workspace), graph, request, listener)->run();
}

}  // namespace kedge::pipeline
