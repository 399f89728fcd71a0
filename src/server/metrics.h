// Counters and latencies of the server, in the Prometheus text format. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace kedge::server {

class Metrics {
 public:
  void request(const std::string& method, const std::string& pattern, int status, double seconds);
  void enter();
  void leave();
  std::string text() const;

 private:
  static constexpr std::array<double, 9> kBounds = {0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60};
  struct Latency {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double sum = 0;
    std::uint64_t count = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // "METHOD pattern", status
  std::map<std::string, Latency> latencies_;
  std::int64_t under_way_ = 0;
};

}  // namespace kedge::server
