#include "server/mcp_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "server/http.h"

namespace kedge::server {
namespace {

constexpr std::size_t kCalls = McpSession::kWaiting + McpSession::kPlaces + 500;

std::string call(std::size_t id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"wait","arguments":{}}})";
}

// A tool that waits until the gate is open, and remembers who worked.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  std::set<std::thread::id> workers;
  std::size_t inside = 0;

  void pass() {
    std::unique_lock lock(mutex);
    workers.insert(std::this_thread::get_id());
    ++inside;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside >= count; });
  }
  void let_pass() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

McpServer waiting_server(Gate& gate) {
  McpServer server;
  document::Json schema;
  schema.set("type", "object");
  server.tools.push_back({"wait", "Wait", "Waits", schema, true, [&gate](auto&&...) {
                            gate.pass();
                            return ToolAnswer{document::Json::object(), false};
                          }});
  return server;
}

TEST(McpSession, ALongLineIsRefusedAndTheNextOneAnswered) {
  Gate gate;
  const McpServer server = waiting_server(gate);
  std::vector<std::string> lines;
  {
    McpSession session(server, [&](const std::string& line) { lines.push_back(line); });
    session.take(std::string(McpSession::kLineBytes + 1, ' '));
    session.take(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  }
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("\"id\":null,\"error\":{\"code\":-32600"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("\"result\":{}"), std::string::npos) << lines[1];
  EXPECT_EQ(McpSession::kLineBytes, HttpOptions().body_bytes);
}

TEST(McpSession, AFewThreadsAnswerAnyNumberOfCalls) {
  Gate gate;
  const McpServer server = waiting_server(gate);
  std::size_t answers = 0;
  std::atomic<std::size_t> taken = 0;
  {
    McpSession session(server, [&](const std::string&) { ++answers; });
    std::thread client([&] {
      for (std::size_t i = 0; i < kCalls; ++i) {
        session.take(call(i));
        ++taken;
      }
    });
    gate.wait_for(McpSession::kPlaces);
    while (taken < McpSession::kPlaces + McpSession::kWaiting) {
      std::this_thread::yield();
    }
    // What the client has beyond that stays with the client.
    EXPECT_EQ(taken, McpSession::kPlaces + McpSession::kWaiting);
    gate.let_pass();
    client.join();
  }
  EXPECT_EQ(answers, kCalls);
  EXPECT_EQ(gate.workers.size(), McpSession::kPlaces);
}

TEST(McpSession, APingIsAnsweredWhileAllPlacesAreTaken) {
  Gate gate;
  const McpServer server = waiting_server(gate);
  std::vector<std::string> answers;
  {
    McpSession session(server, [&](const std::string& line) { answers.push_back(line); });
    for (std::size_t i = 0; i < 20; ++i) {
      session.take(call(i));
    }
    gate.wait_for(McpSession::kPlaces);
    session.take(R"({"jsonrpc":"2.0","id":"ping","method":"ping"})");
    EXPECT_EQ(answers.size(), 1U);
    session.take(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":19}})");
    gate.let_pass();
  }
  EXPECT_EQ(answers.size(), 20U);  // without the one that was cancelled
  EXPECT_EQ(gate.inside, 19U);
}

}  // namespace
}  // namespace kedge::server
