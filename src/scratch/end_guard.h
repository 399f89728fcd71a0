// Work that must be done before a signal ends the program (SIGINT, SIGTERM, SIGHUP): what lies on
// somebody else's server goes with no process of ours. Signals that the program already handles or
// ignores are left alone; nothing helps against SIGKILL.
#pragma once

#include <functional>

namespace kedge::scratch {

class EndGuard {
 public:
  // `work` runs on a thread of its own while the rest of the program goes on; it must not throw.
  explicit EndGuard(std::function<void()> work);
  ~EndGuard();  // waits for work that has begun
  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

 private:
  std::function<void()> work_;
};

}  // namespace kedge::scratch
