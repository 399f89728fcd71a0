#include "server/mcp.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::server {
namespace {

McpServer sample() {
  McpServer server;
  document::Json schema;
  schema.set("type", "object");
  server.tools.push_back({"echo", "Echo", "Says what it was told", schema, true,
                          [](const document::Node& arguments, const app::Cancellation*) {
                            return ToolAnswer{document::to_json(arguments), false};
                          }});
  server.tools.push_back({"fails", "Fails", "Always fails", schema, true,
                          [](const document::Node&, const app::Cancellation*) -> ToolAnswer {
                            throw Error(codes::ERR_CONNECT, "no database");
                          }});
  server.list_resources = [] {
    return std::vector<Resource>{{"kedge://models", "models", "Every model", "application/json"}};
  };
  server.read_resource = [](const std::string& uri,
                            const app::Cancellation*) -> std::optional<ResourceContent> {
    if (uri != "kedge://models") {
      return std::nullopt;
    }
    return ResourceContent{"application/json", "[]"};
  };
  return server;
}

std::string ask(const std::string& message) {
  const std::optional<document::Json> answer = sample().handle(message, nullptr);
  return answer ? document::write_json(*answer, -1) : "";
}

TEST(Mcp, InitializeAgreesOnAVersion) {
  const std::string answer = ask(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})");
  EXPECT_NE(answer.find(R"("protocolVersion":"2025-03-26")"), std::string::npos);
  const std::string unknown =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999"}})");
  EXPECT_NE(unknown.find(R"("protocolVersion":"2025-06-18")"), std::string::npos);
}

TEST(Mcp, NotificationsGetNoAnswer) {
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
}

TEST(Mcp, ToolsAreListedWithAnnotations) {
  const std::string answer = ask(R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})");
  EXPECT_NE(answer.find(R"("name":"echo")"), std::string::npos);
  EXPECT_NE(answer.find(R"("readOnlyHint":true,"destructiveHint":false)"), std::string::npos);
  EXPECT_NE(answer.find(R"("id":"a")"), std::string::npos);
}

TEST(Mcp, AToolThatFailsAnswersWithIsError) {
  const std::string answer =
      ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fails"}})");
  EXPECT_NE(answer.find(R"("isError":true)"), std::string::npos);
  EXPECT_NE(answer.find("ERR_CONNECT"), std::string::npos);
}

TEST(Mcp, ProtocolFaultsHaveTheirCodes) {
  EXPECT_NE(ask("{").find("-32700"), std::string::npos);
  EXPECT_NE(ask("[]").find("-32600"), std::string::npos);
  EXPECT_NE(ask(R"({"id":1,"method":"ping"})").find("-32600"), std::string::npos);
  EXPECT_NE(ask(R"({"jsonrpc":"2.0","id":1,"method":"x"})").find("-32601"), std::string::npos);
  EXPECT_NE(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})").find("-32602"),
      std::string::npos);
}

TEST(Mcp, ABatchIsAnsweredInOrder) {
  const std::string answer = ask(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"ping"}])");
  EXPECT_EQ(answer,
            R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])");
}

TEST(Mcp, ResourcesAreListedAndRead) {
  const std::string read = ask(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kedge://models"}})");
  EXPECT_NE(read.find(R"("text":"[]")"), std::string::npos);
  const std::string none =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}})");
  EXPECT_NE(none.find("-32002"), std::string::npos);
}

}  // namespace
}  // namespace kedge::server
