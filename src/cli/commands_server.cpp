#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <thread>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "server/api.h"
#include "server/http.h"
#include "server/mcp_session.h"

namespace kedge::cli {
namespace {

// What SIGTERM leaves to requests under way before their statements are cancelled, and to what then
// still does not end; a supervisor kills after 10 s or more.
constexpr std::chrono::seconds kGrace{5};
constexpr std::chrono::seconds kStopTime{3};

int number_of(const Arguments& arguments, const std::string& flag, int fallback, int least,
              int most) {
  const std::optional<std::string> text = arguments.find(flag);
  if (!text) {
    return fallback;
  }
  char* end = nullptr;
  const long value = std::strtol(text->c_str(), &end, 10);
  if (text->empty() || *end != '\0' || value < least || value > most) {
    throw Error(codes::ERR_USAGE, flag + ": '" + *text + "' is no number from " +
                                      std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int>(value);
}

std::string token_of(Invocation& invocation) {
  if (const std::optional<std::string> file = invocation.arguments.find("--token-file")) {
    const std::optional<std::string> text = invocation.context.files.read(*file);
    if (!text || base::trim(*text).empty()) {
      throw Error(codes::ERR_USAGE, "the token file '" + *file + "' does not exist or is empty");
    }
    return std::string(base::trim(*text));
  }
  return invocation.context.environment.get("KEDGE_TOKEN").value_or("");
}

// SIGINT and SIGTERM are taken by one thread, so that stopping runs as ordinary code.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

int serve(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  server::HttpOptions options;
  options.host = arguments.get("--host", "127.0.0.1");
  options.port = number_of(arguments, "--port", options.port, 0, 65535);
  options.concurrent = static_cast<std::size_t>(number_of(arguments, "--concurrency", 16, 1, 1024));
  options.token = token_of(invocation);
  const sigset_t signals = block_signals();
  server::Metrics metrics;
  const server::Router router(server::make_endpoints(invocation.context, metrics));
  server::HttpServer http(options, router, metrics,
                          [&invocation] { return invocation.context.environment.random_hex(16); });
  invocation.terminal.err.write(
      fmt::format("kedge serves http://{}:{}/\n", options.host, http.port()));
  std::promise<void> ended;
  std::thread waiter([&, over = ended.get_future()] {
    int signal = 0;
    sigwait(&signals, &signal);
    http.stop();
    if (over.wait_for(kGrace) == std::future_status::timeout) {
      http.cancel_all();
    }
    if (over.wait_for(kStopTime) == std::future_status::timeout) {
      invocation.terminal.err.write("requests under way are cut off\n");
      std::_Exit(0);
    }
  });
  http.run();
  ended.set_value();
  ::kill(::getpid(), SIGTERM);  // the waiter also ends when the server ended by itself
  waiter.join();
  return 0;
}

int mcp(Invocation& invocation) {
  const server::McpServer server = server::make_mcp_server(invocation.context);
  server::McpSession session(server, [&](const std::string& line) {
    invocation.terminal.out.write(line);
    std::fflush(stdout);
  });
  while (const std::optional<std::string> line =
             invocation.terminal.read_line(server::McpSession::kLineBytes + 1)) {
    if (!base::trim(*line).empty()) {
      session.take(*line);
    }
  }
  return 0;
}

}  // namespace

std::vector<Command> server_commands() {
  Command serve_command;
  serve_command.name = "serve";
  serve_command.summary = "Serve REST, MCP and the page for this project";
  serve_command.flags = {
      {"--host", FlagKind::Value, "ADDRESS", "Where to listen (127.0.0.1)", {}},
      {"--port", FlagKind::Value, "N", "Port (8750); 0 takes any free one", {}},
      {"--token-file",
       FlagKind::Value,
       "FILE",
       "Holds the bearer token; else $KEDGE_TOKEN. Needed beyond loopback",
       {}},
      {"--concurrency", FlagKind::Value, "N", "Requests at work at once (16)", {}}};
  serve_command.run = serve;
  serve_command.details =
      "GET /openapi.json describes every endpoint. Nothing that deletes or alters is offered;\n"
      "only POST /ingest writes model files. SIGTERM ends it once running requests are answered;\n"
      "after 5 s it cancels them, after 8 s it ends in any case. A client that hangs up ends what\n"
      "its request does in databases.";
  serve_command.formats = {};
  Command mcp_command;
  mcp_command.name = "mcp";
  mcp_command.summary = "Speak the Model Context Protocol on standard input and output";
  mcp_command.run = mcp;
  mcp_command.formats = {};
  return {serve_command, mcp_command};
}

}  // namespace kedge::cli
