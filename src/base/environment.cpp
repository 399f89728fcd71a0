#include "base/environment.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::base {
namespace {

class SystemClock final : public Clock {
 public:
  std::int64_t now_milliseconds() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::int64_t monotonic_milliseconds() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> get(const std::string& name) const override {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  std::string random_hex(std::size_t digits) override {
    std::string bytes((digits + 1) / 2, '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t count = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
      if (count < 0) {
        throw Error(codes::ERR_IO, "the system gives no random bytes");
      }
      filled += static_cast<std::size_t>(count);
    }
    return to_hex(bytes).substr(0, digits);
  }
};

std::tm to_utc(std::int64_t milliseconds) {
  const std::time_t seconds = static_cast<std::time_t>(
      milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

std::string format(const char* pattern, std::int64_t milliseconds) {
  const std::tm parts = to_utc(milliseconds);
  std::array<char, 64> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), pattern, &parts);
  return std::string(buffer.data(), length);
}

std::string fraction(std::int64_t milliseconds) {
  const std::int64_t part = ((milliseconds % 1000) + 1000) % 1000;
  const std::string digits = std::to_string(part);
  return std::string(3 - digits.size(), '0') + digits;
}

}  // namespace

std::unique_ptr<Clock> make_clock() {
  return std::make_unique<SystemClock>();
}
std::unique_ptr<Environment> make_environment() {
  return std::make_unique<SystemEnvironment>();
}

std::string format_utc(std::int64_t milliseconds) {
  return format("%Y-%m-%dT%H:%M:%S.", milliseconds) + fraction(milliseconds) + "Z";
}

std::string format_utc_compact(std::int64_t milliseconds) {
  return format("%Y%m%dT%H%M%S", milliseconds) + fraction(milliseconds) + "Z";
}

std::optional<std::string> find_program(const Environment& environment, std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return ::access(std::string(name).c_str(), X_OK) == 0 ? std::optional(std::string(name))
                                                          : std::nullopt;
  }
  for (const std::string& folder : split(environment.get("PATH").value_or("/usr/bin:/bin"), ':')) {
    const std::string path = join_path(folder.empty() ? "." : folder, name);
    if (::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return std::nullopt;
}

}  // namespace kedge::base
