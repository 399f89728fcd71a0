// One client of the Model Context Protocol over a stream of lines: what takes long runs beside the
// others, so that a ping is answered meanwhile; a cancelled request is ended and gives no answer. A
// few threads do it; what has no place yet waits as a line, and beyond a bound nothing is taken.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/cancellation.h"
#include "server/mcp.h"

namespace kedge::server {

class McpSession {
 public:
  // `write` gets one line at a time. Both must outlive the session.
  McpSession(const McpServer& server, std::function<void(const std::string&)> write);
  ~McpSession();  // every request under way is answered first
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;
  // Returns once the line is answered or waits for its turn. A longer one than kLineBytes is
  // refused by the protocol's own error (-32600).
  void take(const std::string& line);

  static constexpr std::size_t kLineBytes = 1U << 20;  // as a body of `kedge serve`
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kWaiting = 1024;            // lines
  static constexpr std::size_t kWaitingBytes = 64U << 20;  // and what they hold together

 private:
  struct Request {
    std::string line;
    std::string key;  // its id, as JSON
    std::shared_ptr<app::Cancellation> cancellation;
  };
  void work();
  void add_worker(std::unique_lock<std::mutex>& lock);
  void answer_next(std::unique_lock<std::mutex>& lock);
  void cancel(const document::Node& message);
  void send(const std::optional<document::Json>& answer);

  const McpServer& server_;
  std::function<void(const std::string&)> write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::vector<std::thread> workers_;
  std::size_t idle_ = 0;  // of those
  bool closing_ = false;
  // Of each request that waits or is at work, by its key.
  std::map<std::string, std::shared_ptr<app::Cancellation>> cancellations_;
};

}  // namespace kedge::server
