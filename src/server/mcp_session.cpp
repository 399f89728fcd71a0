#include "server/mcp_session.h"

#include <system_error>

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

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
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

void McpSession::take(const std::string& line) {
  if (line.size() > kLineBytes) {
    const std::lock_guard lock(mutex_);
    send(McpServer::too_long(kLineBytes));
    return;
  }
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
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return waiting_.empty() || (waiting_.size() < kWaiting && waiting_bytes_ < kWaitingBytes);
  });
  waiting_.push_back({line, key, std::make_shared<app::Cancellation>()});
  waiting_bytes_ += line.size();
  cancellations_[key] = waiting_.back().cancellation;
  if (idle_ < waiting_.size() && workers_.size() < kPlaces) {
    add_worker(lock);
  }
  changed_.notify_all();
}

// With the lock held. On a system without a thread to spare the reader does the work.
void McpSession::add_worker(std::unique_lock<std::mutex>& lock) {
  try {
    workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (workers_.empty()) {
      answer_next(lock);
    }
  }
}

void McpSession::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) {
      return;
    }
    answer_next(lock);
  }
}

// With the lock held, but not while it works.
void McpSession::answer_next(std::unique_lock<std::mutex>& lock) {
  const Request request = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= request.line.size();
  changed_.notify_all();
  std::optional<Json> found;
  if (!request.cancellation->requested()) {
    lock.unlock();
    found = server_.handle(request.line, request.cancellation.get());
    lock.lock();
  }
  if (!request.cancellation->requested()) {
    send(found);
  }
  const auto own = cancellations_.find(request.key);
  if (own != cancellations_.end() && own->second == request.cancellation) {
    cancellations_.erase(own);
  }
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
