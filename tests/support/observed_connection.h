// A connection that tells somebody before each call that reaches the database: a test can end the
// program, or cut the line, at every boundary between two of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "db/connection.h"

namespace kedge::test {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void connecting(const db::ConnectionSettings& settings) = 0;
  virtual void before(db::Connection& connection, std::string_view call) = 0;
  virtual void after(db::Connection& connection) = 0;  // only when the call succeeded
};

class ObservedConnection final : public db::Connection {
  // Stands first: its result is deduced.
  template <class Call>
  auto around(std::string_view text, const Call& call) {
    observer_.before(*inner_, text);
    auto result = call();
    observer_.after(*inner_);
    return result;
  }

 public:
  ObservedConnection(std::unique_ptr<db::Connection> inner, Observer& observer)
      : inner_(std::move(inner)), observer_(observer) {}

  schema::Dialect dialect() const override { return inner_->dialect(); }
  const schema::Engine& engine() override { return inner_->engine(); }
  db::ResultSet query(std::string_view sql, std::span<const db::Value> parameters,
                      const db::ExecuteOptions& options) override {
    return around(sql, [&] { return inner_->query(sql, parameters, options); });
  }
  std::vector<db::ResultColumn> stream(std::string_view sql, const db::RowHandler& handler,
                                       const db::ExecuteOptions& options) override {
    return around(sql, [&] { return inner_->stream(sql, handler, options); });
  }
  std::vector<db::ResultColumn> describe(std::string_view sql) override {
    return around(sql, [&] { return inner_->describe(sql); });
  }
  void execute(std::string_view sql) override {
    around(sql, [&] { return inner_->execute(sql), true; });
  }
  void begin() override {
    around("BEGIN", [&] { return inner_->begin(), true; });
  }
  void commit() override {
    around("COMMIT", [&] { return inner_->commit(), true; });
  }
  void rollback() override {
    around("ROLLBACK", [&] { return inner_->rollback(), true; });
  }
  bool in_transaction() const override { return inner_->in_transaction(); }
  void cancel() override { inner_->cancel(); }

 private:
  std::unique_ptr<db::Connection> inner_;
  Observer& observer_;
};

// The connectors of `inner` with an observer on every connection. Both must outlive the result.
inline db::Registry observed(const db::Registry& inner, Observer& observer) {
  class Observing final : public db::Connector {
   public:
    Observing(const db::Registry& inner, Observer& observer) : inner_(inner), observer_(observer) {}
    std::unique_ptr<db::Connection> connect(const db::ConnectionSettings& settings) override {
      observer_.connecting(settings);
      return std::make_unique<ObservedConnection>(inner_.connect(settings), observer_);
    }

   private:
    const db::Registry& inner_;
    Observer& observer_;
  };
  db::Registry registry;
  for (const std::string& name : inner.names()) {
    registry.add(name, std::make_shared<Observing>(inner, observer));
  }
  return registry;
}

}  // namespace kedge::test
