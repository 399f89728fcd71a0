// Calls a function when a time is over; stops waiting with its scope.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kedge::db {

class Watchdog {
 public:
  Watchdog(double seconds, std::function<void()> over);  // 0 seconds: never
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace kedge::db
