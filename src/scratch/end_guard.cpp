#include "scratch/end_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

namespace kedge::scratch {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// Where the handler says which signal came; a handler may do little more than write.
std::atomic<int>& notice() {
  static std::atomic<int> end = -1;
  return end;
}

// The second signal ends the program at once.
extern "C" void note_signal(int number) {
  const int kept = errno;
  const unsigned char word = static_cast<unsigned char>(number);
  const bool told = ::write(notice().load(), &word, 1) == 1;
  std::signal(number, SIG_DFL);
  if (!told) {
    std::raise(number);
  }
  errno = kept;
}

class Keeper {
 public:
  void add(const std::function<void()>& work) {
    const std::scoped_lock lock(mutex_);
    if (works_.empty() && !ending_) {
      open();
    }
    works_.insert(&work);
  }
  void remove(const std::function<void()>& work) {
    const std::scoped_lock lock(mutex_);
    works_.erase(&work);
    if (works_.empty() && !ending_) {
      restore();
    }
  }

 private:
  // The thread stays: it costs nothing, and waits for the next guard's signal.
  void open() {
    if (read_ < 0) {
      std::array<int, 2> ends{};
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return;  // without it a signal ends us as it always does
      }
      read_ = ends[0];
      notice() = ends[1];
      std::thread([this] { wait(); }).detach();
    }
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction before {};
      ::sigaction(kSignals.at(i), nullptr, &before);
      taken_.at(i) = before.sa_handler == SIG_DFL && (before.sa_flags & SA_SIGINFO) == 0;
      if (taken_.at(i)) {
        struct sigaction ours {};
        ours.sa_handler = note_signal;
        ours.sa_flags = SA_RESTART;
        ::sigaction(kSignals.at(i), &ours, nullptr);
      }
    }
  }
  void restore() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (taken_.at(i)) {
        std::signal(kSignals.at(i), SIG_DFL);
      }
    }
  }
  void wait() {
    unsigned char number = 0;
    while (::read(read_, &number, 1) != 1) {
    }
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
      for (const std::function<void()>* work : works_) {
        (*work)();
      }
      std::signal(number, SIG_DFL);
      ::kill(::getpid(), number);
    }
  }

  std::mutex mutex_;
  std::set<const std::function<void()>*> works_;
  std::array<bool, kSignals.size()> taken_{};
  int read_ = -1;
  bool ending_ = false;
};

Keeper& keeper() {
  static auto& keeper = *new Keeper;  // NOLINT: its thread may outlive main
  return keeper;
}

}  // namespace

EndGuard::EndGuard(std::function<void()> work) : work_(std::move(work)) {
  keeper().add(work_);
}

EndGuard::~EndGuard() {
  keeper().remove(work_);
}

}  // namespace kedge::scratch
