#include "pipeline/engine.h"

#include "kedge/codes.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

// Staged rows are written once and read once or twice: what packs texts and fractions tightly costs
// more time than reading the csv file they came from.
constexpr std::string_view kStagingCompression =
    "SET disabled_compression_methods = 'fsst,dict_fsst,dictionary,zstd,alp,alprd,chimp,patas'; ";

// A file that is not there is told apart from a database that cannot be reached.
void require_file(const World& world, const db::ConnectionSettings& settings,
                  const std::string& connection, Engine::Use use) {
  const auto path = settings.options.find("path");
  const bool file = settings.connector == "sqlite" || settings.connector == "duckdb";
  if (!file || path == settings.options.end()) {
    return;
  }
  if (!world.files.kind(base::parent_path(path->second))) {
    throw Error(codes::PZ0330,
                "connection '" + connection + "': the folder of its database does not exist");
  }
  if (use == Engine::Use::Read && !world.files.kind(path->second)) {
    throw Error(codes::PZ0353, "connection '" + connection + "': the database file does not exist");
  }
}

}  // namespace

Engine::Engine(World world, std::shared_ptr<const Workspace> workspace, std::string run_id)
    : world_(std::move(world)),
      workspace_(std::move(workspace)),
      run_id_(std::move(run_id)),
      started_at_(base::format_utc(world_.clock.now_milliseconds())) {}

Engine::~Engine() = default;

std::string Engine::run_folder() const {
  return base::join_path(world_.folder, ".kedge/runs/" + run_id_);
}

std::string Engine::alive_path(const std::string& run) const {
  return base::join_path(world_.folder, ".kedge/runs/" + run + "/alive.lock");
}

bool Engine::is_abandoned(const std::string& run) const {
  const std::string path = alive_path(run);
  if (run == run_id_ || !world_.files.kind(path)) {
    return false;
  }
  try {
    const base::FileLock lock(path, 0, codes::PZ0533);
    return true;
  } catch (const Error&) {
    return false;  // it is at work
  }
}

Engine::Held Engine::staging() const {
  refuse_if_ended();
  // Attached under another name: a catalog called staging would hide the schema of that name.
  std::unique_ptr<db::Connection> connection =
      open_duckdb(world_, *workspace_, ":memory:" + run_id_);
  connection->execute(std::string(kStagingCompression) + "ATTACH IF NOT EXISTS " +
                      quote_literal(base::join_path(run_folder(), "staging.duckdb")) +
                      " AS kedge_run; USE kedge_run");
  return hold(std::move(connection));
}

db::ConnectionSettings Engine::settings(const std::string& connection) const {
  return settings_of(*workspace_, world_.folder, connection, db::AccessMode::ReadOnly);
}

Engine::Held Engine::open(const std::string& connection, Use use) const {
  refuse_if_ended();
  const db::AccessMode access =
      use == Use::Read ? db::AccessMode::ReadOnly : db::AccessMode::Create;
  const db::ConnectionSettings settings =
      settings_of(*workspace_, world_.folder, connection, access);
  require_file(world_, settings, connection, use);
  if (!world_.registry.knows(settings.connector)) {
    throw Error(codes::PZ0305, "connection '" + connection + "': connector '" + settings.connector +
                                   "' is not in this build");
  }
  try {
    return hold(world_.registry.connect(settings));
  } catch (const db::DatabaseError& error) {
    throw db::DatabaseError(
        {codes::PZ0330,
         "connection '" + connection + "': cannot connect: " +
             workspace_->hide(error.problem().notes.empty() ? error.problem().message
                                                            : error.driver_message()),
         std::nullopt, "", error.problem().notes},
        error.failure(), error.native_code());
  }
}

void Engine::warn(Problem problem, Severity severity) const {
  Finding finding;
  finding.problem = std::move(problem);
  finding.severity = severity;
  finding.guard = "contracts";
  const std::lock_guard<std::mutex> guard(mutex_);
  if (on_warning) {
    on_warning(finding);
  }
}

void Engine::say(const std::string& line) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (on_line) {
    on_line(line);
  }
}

void Engine::publish(std::string_view event, const document::Json& fields,
                     EventLog::Audience audience) const {
  if (events != nullptr) {
    events->publish(event, fields, audience);
  }
}

Engine::Held Engine::hold(std::unique_ptr<db::Connection> connection) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  held_[connection.get()] = current_node();
  return {connection.release(), Release{this}};
}

void Engine::let_finish(db::Connection& connection) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  held_.erase(&connection);
}

void Engine::Release::operator()(db::Connection* connection) const {
  engine->let_finish(*connection);
  delete connection;  // NOLINT(cppcoreguidelines-owning-memory): of a unique_ptr
}

void Engine::interrupt() {
  interrupted_ = true;
  const std::lock_guard<std::mutex> guard(mutex_);
  for (const auto& [connection, node] : held_) {
    if (node != nullptr) {
      connection->cancel();
    }
  }
}

Engine::Node*& Engine::current_node() {
  thread_local Node* node = nullptr;
  return node;
}

Engine::NodeScope::NodeScope(const Engine& engine, std::int64_t start) : engine_(engine) {
  current_node() = new Node;  // NOLINT(cppcoreguidelines-owning-memory): ends with the scope
  current_node()->start = start;
  const std::lock_guard<std::mutex> guard(engine_.mutex_);
  engine_.nodes_.insert(current_node());
}

Engine::NodeScope::~NodeScope() {
  const std::lock_guard<std::mutex> guard(engine_.mutex_);
  engine_.nodes_.erase(current_node());
  delete current_node();  // NOLINT(cppcoreguidelines-owning-memory)
  current_node() = nullptr;
}

bool Engine::timed_out() const {
  return current_node() != nullptr && current_node()->timed_out;
}

void Engine::refuse_if_ended() const {
  if (timed_out()) {
    throw Error(codes::PZ0525, "the node took longer than engine.node_timeout");
  }
  if (interrupted_ && current_node() != nullptr) {
    throw Error(codes::ERR_CANCELLED, "the run was interrupted");
  }
}

void Engine::cancel_older_than(std::int64_t milliseconds) {
  const std::int64_t now = world_.clock.monotonic_milliseconds();
  const std::lock_guard<std::mutex> guard(mutex_);
  for (Node* node : nodes_) {
    node->timed_out = node->timed_out || now - node->start > milliseconds;
  }
  for (const auto& [connection, node] : held_) {
    if (node != nullptr && node->timed_out) {
      connection->cancel();
    }
  }
}

db::ConnectionSettings settings_of(const Workspace& workspace, const std::string& folder,
                                   const std::string& connection, db::AccessMode access) {
  const project::Connection& found = workspace.connection(connection);
  return {found.name, found.connector, found.settings(folder), found.secrets, access};
}

std::unique_ptr<db::Connection> open_duckdb(const World& world, const Workspace& workspace,
                                            const std::string& path) {
  std::unique_ptr<db::Connection> connection =
      world.registry.connect({"staging", "duckdb", {{"path", path}}, {}, db::AccessMode::Create});
  const project::EngineSettings& engine = workspace.project.engine;
  std::string sql = "SET TimeZone = 'UTC';";
  if (engine.duckdb_memory_limit) {
    sql += "SET memory_limit = " + quote_literal(*engine.duckdb_memory_limit) + ";";
  }
  if (engine.duckdb_threads) {
    sql += "SET threads = " + std::to_string(*engine.duckdb_threads) + ";";
  }
  // Never in the folder of whoever calls: what does not fit into memory stays with the project.
  // Set once only: DuckDB refuses to hear it again from the moment it has spilled.
  const std::string spill =
      base::join_path(world.folder, engine.duckdb_temp_directory.value_or(".kedge/spill"));
  if (db::to_text(query_value(*connection, "SELECT current_setting('temp_directory')")) != spill) {
    sql += "SET temp_directory = " + quote_literal(spill) + ";";
  }
  connection->execute(sql);
  return connection;
}

db::Value query_value(db::Connection& connection, const std::string& sql) {
  const db::ResultSet result = connection.query(sql);
  return result.rows.empty() || result.rows[0].empty() ? db::Value{} : result.rows[0][0];
}

std::int64_t query_count(db::Connection& connection, const std::string& sql) {
  return db::to_integer(query_value(connection, sql)).value_or(0);
}

}  // namespace kedge::pipeline
