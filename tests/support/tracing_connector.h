// A connector whose connections write down every statement, for tests that count what is asked of a
// database, over all connections to it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "db/connection.h"
#include "tracing_connection.h"

namespace kedge::test {

class TracingConnector final : public db::Connector {
 public:
  // `registry` makes the real connections and must outlive this.
  explicit TracingConnector(const db::Registry& registry) : registry_(registry) {}

  std::unique_ptr<db::Connection> connect(const db::ConnectionSettings& settings) override {
    return std::make_unique<Owner>(registry_.connect(settings), *this);
  }
  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  std::size_t opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }

 private:
  struct Inner {
    explicit Inner(std::unique_ptr<db::Connection> from) : connection(std::move(from)) {}
    std::unique_ptr<db::Connection> connection;
  };
  // Hands its statements over when it ends.
  class Owner final : private Inner, public TracingConnection {
   public:
    Owner(std::unique_ptr<db::Connection> from, TracingConnector& home)
        : Inner(std::move(from)), TracingConnection(*Inner::connection), home_(home) {
      const std::lock_guard lock(home_.mutex_);
      ++home_.opened_;
    }
    ~Owner() override {
      const std::lock_guard lock(home_.mutex_);
      home_.texts_.insert(home_.texts_.end(), texts().begin(), texts().end());
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

   private:
    TracingConnector& home_;
  };

  const db::Registry& registry_;
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
  std::size_t opened_ = 0;
};

}  // namespace kedge::test
