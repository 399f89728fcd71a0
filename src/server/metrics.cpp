#include "server/metrics.h"

#include <fmt/core.h>

namespace kedge::server {

void Metrics::request(const std::string& method, const std::string& pattern, int status,
                      double seconds) {
  const std::lock_guard lock(mutex_);
  const std::string key = method + " " + (pattern.empty() ? "other" : pattern);
  ++requests_[{key, status}];
  Latency& latency = latencies_[key];
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds.at(bucket)) {
    ++bucket;
  }
  ++latency.buckets.at(bucket);
  latency.sum += seconds;
  ++latency.count;
}

void Metrics::enter() {
  const std::lock_guard lock(mutex_);
  ++under_way_;
}

void Metrics::leave() {
  const std::lock_guard lock(mutex_);
  --under_way_;
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out =
      "# HELP kedge_requests_total Requests answered.\n# TYPE kedge_requests_total counter\n";
  for (const auto& [key, count] : requests_) {
    out += fmt::format("kedge_requests_total{{endpoint=\"{}\",status=\"{}\"}} {}\n", key.first,
                       key.second, count);
  }
  out += "# HELP kedge_request_seconds Time to answer.\n# TYPE kedge_request_seconds histogram\n";
  for (const auto& [key, latency] : latencies_) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      total += latency.buckets.at(i);
      out += fmt::format("kedge_request_seconds_bucket{{endpoint=\"{}\",le=\"{}\"}} {}\n", key,
                         kBounds.at(i), total);
    }
    out += fmt::format("kedge_request_seconds_bucket{{endpoint=\"{}\",le=\"+Inf\"}} {}\n", key,
                       latency.count);
    out += fmt::format("kedge_request_seconds_sum{{endpoint=\"{}\"}} {}\n", key, latency.sum);
    out += fmt::format("kedge_request_seconds_count{{endpoint=\"{}\"}} {}\n", key, latency.count);
  }
  out += fmt::format(
      "# HELP kedge_requests_under_way Requests at work now.\n"
      "# TYPE kedge_requests_under_way gauge\nkedge_requests_under_way {}\n",
      under_way_);
  return out;
}

}  // namespace kedge::server
