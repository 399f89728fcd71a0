#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/environment.h"
#include "kedge/codes.h"

extern char** environ;

namespace kedge::base {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error(codes::ERR_IO, std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) {
      ::close(end);
      end = -1;
    }
  }
};

std::vector<std::string> environment_of(const ProcessRequest& request) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : request.environment) {
      replaced = replaced || key == name;
    }
    if (!replaced) {
      result.emplace_back(text);
    }
  }
  for (const auto& [key, value] : request.environment) {
    result.push_back(key + "=" + value);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

// Feeds stdin and drains both outputs until they close; false when a limit ended that.
bool pump(Pipe& in, Pipe& out, Pipe& err, const ProcessRequest& request, ProcessResult& result) {
  using Steady = std::chrono::steady_clock;
  const auto deadline = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                            std::chrono::duration<double>(request.timeout_seconds));
  std::string_view input = request.standard_input;
  if (input.empty()) {
    Pipe::close_end(in.write_end);
  }
  std::array<char, 1 << 16> buffer{};
  const auto drain = [&](int& end, std::string& text) {
    const ssize_t count = ::read(end, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      Pipe::close_end(end);
    }
  };
  while (out.read_end >= 0 || err.read_end >= 0) {
    int wait = -1;
    if (request.timeout_seconds > 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now()).count();
      if (left <= 0) {
        result.timed_out = true;
        return false;
      }
      wait = static_cast<int>(left);
    }
    std::array<pollfd, 3> polls{pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0},
                                pollfd{in.write_end, POLLOUT, 0}};
    if (::poll(polls.data(), polls.size(), wait) < 0 && errno != EINTR) {
      return false;
    }
    if (out.read_end >= 0 && polls[0].revents != 0) {
      drain(out.read_end, result.standard_output);
    }
    if (err.read_end >= 0 && polls[1].revents != 0) {
      drain(err.read_end, result.standard_error);
    }
    if (request.output_bytes > 0 && std::max(result.standard_output.size(),
                                             result.standard_error.size()) > request.output_bytes) {
      result.overflowed = true;
      return false;
    }
    if (in.write_end >= 0 && polls[2].revents != 0) {
      const ssize_t count =
          ::write(in.write_end, input.data(), std::min<std::size_t>(input.size(), 4096));
      if (count > 0) {
        input.remove_prefix(static_cast<std::size_t>(count));
      }
      if (input.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        Pipe::close_end(in.write_end);
      }
    }
  }
  return true;
}

[[noreturn]] void run_child(const ProcessRequest& request, Pipe& in, Pipe& out, Pipe& err,
                            Pipe& failure, const std::vector<char*>& arguments,
                            const std::vector<char*>& environment) {
  ::dup2(in.read_end, STDIN_FILENO);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  if (request.working_folder.empty() || ::chdir(request.working_folder.c_str()) == 0) {
    ::execvpe(arguments[0], arguments.data(), environment.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failure.write_end, &error, sizeof error);
  ::_exit(127);
}

// A child that ends before it has read everything is no reason to end. For this thread only: others
// write to children of their own.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

class SystemProcessRunner final : public ProcessRunner {
 public:
  ProcessResult run(const ProcessRequest& request) override {
    Pipe in;
    Pipe out;
    Pipe err;
    Pipe failure;
    std::vector<std::string> argument_texts = request.arguments;
    std::vector<std::string> environment_texts = environment_of(request);
    const std::vector<char*> arguments = pointers(argument_texts);
    const std::vector<char*> environment = pointers(environment_texts);
    const pid_t child = ::fork();
    if (child < 0) {
      throw Error(codes::ERR_IO, std::string("cannot start a process: ") + std::strerror(errno));
    }
    if (child == 0) {
      run_child(request, in, out, err, failure, arguments, environment);
    }
    Pipe::close_end(in.read_end);
    Pipe::close_end(out.write_end);
    Pipe::close_end(err.write_end);
    Pipe::close_end(failure.write_end);
    ProcessResult result;
    bool ended = false;
    {
      const NoPipeSignal quiet;
      ended = pump(in, out, err, request, result);
    }
    if (!ended) {
      ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int error = 0;
    if (::read(failure.read_end, &error, sizeof error) == sizeof error) {
      throw Error(codes::ERR_IO,
                  "cannot run '" + request.arguments.at(0) + "': " + std::strerror(error));
    }
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }
};

}  // namespace

std::unique_ptr<ProcessRunner> make_process_runner() {
  return std::make_unique<SystemProcessRunner>();
}

}  // namespace kedge::base
