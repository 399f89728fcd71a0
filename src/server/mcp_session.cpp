#include "server/mcp_session.h"

#include <thread>

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

constexpr std::size_t kPlaces = 8;

// The id of a request as a key; "" for what has none.
std::string key_of(const Node* id) {
  return id != nullptr ? document::write_json(document::to_json(*id), -1) : "";
}

bool is_long(const Node& message) {
  if (message.is_sequence()) {
    return true;
  }
  const Node* method = message.find("method");
  return method != nullptr && (method->text == "tools/call" || method->text == "resources/read" ||
                               method->text == "resources/list");
}

}  // namespace

McpSession::McpSession(const McpServer& server, std::function<void(const std::string&)> write)
    : server_(server), write_(std::move(write)) {}

McpSession::~McpSession() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
}

void McpSession::take(const std::string& line) {
  const document::Document read = document::read_document("message", line, document::Format::Json);
  const bool usable = read.problems.empty() && (read.root.is_mapping() || read.root.is_sequence());
  if (!usable || !is_long(read.root)) {
    if (usable && read.root.is_mapping()) {
      cancel(read.root);
    }
    const std::lock_guard lock(mutex_);
    send(server_.handle(line, nullptr));
    return;
  }
  const std::string key = read.root.is_mapping() ? key_of(read.root.find("id")) : "";
  const auto cancellation = std::make_shared<app::Cancellation>();
  {
    const std::lock_guard lock(mutex_);
    ++running_;
    cancellations_[key] = cancellation;
  }
  std::thread([this, line, key, cancellation] { answer(line, key, *cancellation); }).detach();
}

void McpSession::answer(const std::string& line, const std::string& key,
                        app::Cancellation& cancellation) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return working_ < kPlaces; });
  std::optional<Json> found;
  if (!cancellation.requested()) {
    ++working_;
    lock.unlock();
    found = server_.handle(line, &cancellation);
    lock.lock();
    --working_;
  }
  if (!cancellation.requested()) {
    send(found);
  }
  cancellations_.erase(key);
  --running_;
  changed_.notify_all();
}

void McpSession::cancel(const Node& message) {
  const Node* method = message.find("method");
  const Node* parameters = message.find("params");
  if (method == nullptr || method->text != "notifications/cancelled" || parameters == nullptr ||
      !parameters->is_mapping()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto request = cancellations_.find(key_of(parameters->find("requestId")));
  if (request != cancellations_.end() && !request->first.empty()) {
    request->second->request();
  }
}

// With the lock held: an answer is one line.
void McpSession::send(const std::optional<Json>& answer) {
  if (answer) {
    write_(document::write_json(*answer, -1) + "\n");
  }
}

}  // namespace kedge::server
