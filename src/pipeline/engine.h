// The means of one run: the project's workspace, the staging database, the outside world and where
// events go. Shared by all nodes of the run; what is mutable here is safe to use from several
// threads.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/environment.h"
#include "base/file_system.h"
#include "db/connection.h"
#include "dialect/catalogs.h"
#include "pipeline/events.h"
#include "pipeline/state.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

// What the program provides to every run.
struct World {
  std::string folder;
  base::FileSystem& files;
  const base::Clock& clock;
  base::Environment& environment;
  base::ProcessRunner& processes;
  const db::Registry& registry;
  dialect::Catalogs* catalogs = nullptr;  // of a run that looks at a database more than once
};

class Engine {
 public:
  Engine(World world, std::shared_ptr<const Workspace> workspace, std::string run_id);
  ~Engine();

  const World& world() const { return world_; }
  const Workspace& workspace() const { return *workspace_; }
  const std::string& run_id() const { return run_id_; }
  const std::string& started_at() const { return started_at_; }
  std::string run_folder() const;  // absolute
  // A run holds the lock of its folder as long as it lives, however it ends.
  std::string alive_path(const std::string& run) const;
  bool is_abandoned(const std::string& run) const;  // a run of this project that was killed
  // A connection that an interruption, or the time limit of the node that opened it, cancels
  // whatever it is doing.
  struct Release {
    const Engine* engine = nullptr;
    void operator()(db::Connection* connection) const;
  };
  using Held = std::unique_ptr<db::Connection, Release>;
  // A connection of its own to the staging database of the run, in UTC.
  Held staging() const;
  // Opens a connection of connections.yml. PZ0330 (or PZ0353 for a missing file).
  enum class Use { Read, Write };
  Held open(const std::string& connection, Use use) const;
  // From here on it is not cancelled: what tidies up after a failure does not fail with it.
  void let_finish(db::Connection& connection) const;
  db::ConnectionSettings settings(const std::string& connection) const;  // to read
  void warn(Problem problem, Severity severity = Severity::Warning) const;
  void say(const std::string& line) const;  // for people, on the result's side
  void publish(std::string_view event, const document::Json& fields,
               EventLog::Audience audience = EventLog::Audience::Everybody) const;

  // Cancels what all nodes are doing. Called again until they have ended: a node may be between
  // two statements.
  void interrupt();
  // Marks the node that this thread works on: its statements end with it when it takes too long.
  class NodeScope {
   public:
    NodeScope(const Engine& engine, std::int64_t start);
    ~NodeScope();
    NodeScope(const NodeScope&) = delete;
    NodeScope& operator=(const NodeScope&) = delete;

   private:
    const Engine& engine_;
  };
  void cancel_older_than(std::int64_t milliseconds);
  bool timed_out() const;  // the node of this thread
  // Before a write becomes visible: a node that was interrupted or has failed by its time must not
  // deliver any more.
  void refuse_if_ended() const;
  bool interrupted() const { return interrupted_; }

  std::function<void(const Finding&)> on_warning;
  std::function<void(const std::string&)> on_line;
  EventLog* events = nullptr;  // of the run; not owned

 private:
  Held hold(std::unique_ptr<db::Connection> connection) const;

  World world_;
  std::shared_ptr<const Workspace> workspace_;
  std::string run_id_;
  std::string started_at_;
  std::atomic<bool> interrupted_ = false;
  mutable std::mutex mutex_;
  struct Node {
    std::int64_t start = 0;
    std::atomic<bool> timed_out = false;
  };
  static Node*& current_node();
  mutable std::set<Node*> nodes_;                  // all that are at work
  mutable std::map<db::Connection*, Node*> held_;  // connection -> the node that opened it
};

db::ConnectionSettings settings_of(const Workspace& workspace, const std::string& folder,
                                   const std::string& connection, db::AccessMode access);
// The staging database of a run, or any other DuckDB file or ":memory:".
std::unique_ptr<db::Connection> open_duckdb(const World& world, const Workspace& workspace,
                                            const std::string& path);

// One value of a one-row, one-column query.
db::Value query_value(db::Connection& connection, const std::string& sql);
std::int64_t query_count(db::Connection& connection, const std::string& sql);

}  // namespace kedge::pipeline
