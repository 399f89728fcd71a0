#include "db/watchdog.h"

#include <chrono>

namespace kedge::db {

Watchdog::Watchdog(double seconds, std::function<void()> over) {
  if (seconds <= 0) {
    return;
  }
  thread_ = std::thread([this, seconds, act = std::move(over)] {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return done_; })) {
      act();
    }
  });
}

Watchdog::~Watchdog() {
  if (thread_.joinable()) {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
}

}  // namespace kedge::db
