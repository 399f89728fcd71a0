// One client of the Model Context Protocol over a stream of lines: what takes long runs beside the
// others, so that a ping is answered meanwhile; a cancelled request is ended and gives no answer.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

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
  void take(const std::string& line);

 private:
  void answer(const std::string& line, const std::string& key, app::Cancellation& cancellation);
  void cancel(const document::Node& message);
  void send(const std::optional<document::Json>& answer);

  const McpServer& server_;
  std::function<void(const std::string&)> write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  std::size_t working_ = 0;  // of those, the ones that hold a place at work
  // Of each request under way, by its id as JSON.
  std::map<std::string, std::shared_ptr<app::Cancellation>> cancellations_;
};

}  // namespace kedge::server
