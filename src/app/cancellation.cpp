#include "app/cancellation.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "db/batch.h"
#include "kedge/codes.h"

namespace kedge::app {

// A statement may begin between two looks at `requested`, and takes no notice of a cancel before
// it: so what is open is cancelled again and again until the request has ended.
struct Cancellation::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::set<db::Connection*> open;
  bool is_requested = false;
  bool is_over = false;
  std::thread repeats;

  void check() const {
    const std::lock_guard lock(mutex);
    if (is_requested) {
      throw db::DatabaseError(Problem{codes::ERR_CANCELLED,
                                      "the request was cancelled",
                                      std::nullopt,
                                      "",
                                      {{"nobody waits for its answer", std::nullopt}}},
                              db::FailureClass::Cancelled, "");
    }
  }

  void repeat() {
    std::unique_lock lock(mutex);
    while (!is_over) {
      for (db::Connection* connection : open) {
        connection->cancel();
      }
      changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return is_over; });
    }
  }
};

namespace {

using State = Cancellation::State;

class WatchedConnection : public db::Connection, public db::BatchConnection {
 public:
  WatchedConnection(std::unique_ptr<db::Connection> inner, std::shared_ptr<State> state)
      : inner_(std::move(inner)), state_(std::move(state)) {
    const std::lock_guard lock(state_->mutex);
    state_->open.insert(inner_.get());
  }
  ~WatchedConnection() override {
    const std::lock_guard lock(state_->mutex);
    state_->open.erase(inner_.get());
  }
  WatchedConnection(const WatchedConnection&) = delete;
  WatchedConnection& operator=(const WatchedConnection&) = delete;

  schema::Dialect dialect() const override { return inner_->dialect(); }
  const schema::Engine& engine() override { return inner_->engine(); }
  db::ResultSet query(std::string_view sql, std::span<const db::Value> parameters,
                      const db::ExecuteOptions& options) override {
    state_->check();
    return inner_->query(sql, parameters, options);
  }
  std::vector<db::ResultColumn> stream(std::string_view sql, const db::RowHandler& handler,
                                       const db::ExecuteOptions& options) override {
    state_->check();
    return inner_->stream(sql, handler, options);
  }
  std::vector<db::ResultColumn> describe(std::string_view sql) override {
    state_->check();
    return inner_->describe(sql);
  }
  void execute(std::string_view sql) override {
    state_->check();
    inner_->execute(sql);
  }
  void begin() override {
    state_->check();
    inner_->begin();
  }
  void commit() override { inner_->commit(); }
  void rollback() override { inner_->rollback(); }
  bool in_transaction() const override { return inner_->in_transaction(); }
  void cancel() override { inner_->cancel(); }
  std::vector<db::ResultSet> query_all(std::span<const std::string> statements) override {
    state_->check();
    return db::query_batch(*inner_, statements);
  }

 private:
  std::unique_ptr<db::Connection> inner_;
  std::shared_ptr<State> state_;
};

class WatchedConnector final : public db::Connector {
 public:
  WatchedConnector(const db::Registry& inner, std::shared_ptr<State> state)
      : inner_(inner), state_(std::move(state)) {}
  std::unique_ptr<db::Connection> connect(const db::ConnectionSettings& settings) override {
    state_->check();
    return std::make_unique<WatchedConnection>(inner_.connect(settings), state_);
  }

 private:
  const db::Registry& inner_;
  std::shared_ptr<State> state_;
};

db::Registry watched(const db::Registry& inner, const std::shared_ptr<State>& state) {
  db::Registry registry;
  const auto connector = std::make_shared<WatchedConnector>(inner, state);
  for (const std::string& name : inner.names()) {
    registry.add(name, connector);
  }
  return registry;
}

}  // namespace

Cancellation::Cancellation() : state_(std::make_shared<State>()) {}

Cancellation::~Cancellation() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
    state_->changed.notify_all();
  }
  if (state_->repeats.joinable()) {
    state_->repeats.join();
  }
}

void Cancellation::request() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->is_requested) {
    state_->is_requested = true;
    state_->repeats = std::thread([state = state_.get()] { state->repeat(); });
  }
}

bool Cancellation::requested() const {
  const std::lock_guard lock(state_->mutex);
  return state_->is_requested;
}

CancellableContext::CancellableContext(const Context& context, const Cancellation& cancellation)
    : registry_(watched(context.registry, cancellation.state_)),
      context_{context.folder,      context.files,     context.clock,
               context.environment, context.processes, registry_,
               context.scratch,     context.progress,  context.catalogs} {}

}  // namespace kedge::app
