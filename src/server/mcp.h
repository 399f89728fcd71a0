// The Model Context Protocol over JSON-RPC 2.0: tools and resources as data, one pure function from
// a message to its answer. stdio and streamable HTTP only carry the messages. There is no tool that
// deletes or alters anything beyond ingest (spec/models.md 14.4).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cancellation.h"
#include "document/json.h"
#include "document/node.h"

namespace kedge::server {

struct ToolAnswer {
  document::Json json;  // sent as text
  bool is_error = false;
};

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  document::Json input_schema;
  bool read_only = true;
  // Gets the arguments as a mapping. An Error thrown becomes an answer with isError.
  std::function<ToolAnswer(const document::Node&, const app::Cancellation*)> call;
};

struct Resource {
  std::string uri;
  std::string name;
  std::string description;
  std::string mime_type;
};

struct ResourceContent {
  std::string mime_type;
  std::string text;
};

struct McpServer {
  std::vector<Tool> tools;
  std::function<std::vector<Resource>()> list_resources;
  std::function<std::optional<ResourceContent>(const std::string& uri, const app::Cancellation*)>
      read_resource;
  // The answer to one message or batch; nullopt for notifications. Malformed JSON gives the
  // protocol's own error (-32700).
  // `cancellation` (may be null) ends what tools do in databases.
  std::optional<document::Json> handle(const std::string& message,
                                       const app::Cancellation* cancellation) const;
  // The answer to a message that is not read because it has more bytes than `most`.
  static document::Json too_long(std::size_t most);
  static bool speaks(std::string_view version);  // of the protocol

 private:
  std::optional<document::Json> handle_one(const document::Node& message,
                                           const app::Cancellation* cancellation) const;
  document::Json call_tool(const document::Node& parameters,
                           const app::Cancellation* cancellation) const;
};

}  // namespace kedge::server
