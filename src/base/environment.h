// The outside world as interfaces: clock, environment variables, randomness, child processes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kedge::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_milliseconds() const = 0;        // since 1970-01-01 UTC
  virtual std::int64_t monotonic_milliseconds() const = 0;  // for durations
};

class Environment {
 public:
  virtual ~Environment() = default;
  virtual std::optional<std::string> get(const std::string& name) const = 0;
  virtual std::string random_hex(std::size_t digits) = 0;
};

struct ProcessRequest {
  std::vector<std::string> arguments;  // arguments[0] is the program, looked up on PATH
  std::string working_folder;          // empty: the current one
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing the own
  std::string standard_input;
  double timeout_seconds = 0;    // 0 = none
  std::size_t output_bytes = 0;  // more on either output ends it; 0 = any
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when it was killed
  std::string standard_output;
  std::string standard_error;
  bool timed_out = false;
  bool overflowed = false;
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Runs to the end. A program that cannot be started throws ERR_IO.
  virtual ProcessResult run(const ProcessRequest& request) = 0;
};

std::unique_ptr<Clock> make_clock();
std::unique_ptr<Environment> make_environment();
std::unique_ptr<ProcessRunner> make_process_runner();

std::string format_utc(std::int64_t milliseconds);          // 2027-03-14T08:15:02.117Z
std::string format_utc_compact(std::int64_t milliseconds);  // 20270314T081502117Z
std::optional<std::string> find_program(const Environment& environment, std::string_view name);

}  // namespace kedge::base
