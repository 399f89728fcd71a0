#include "server/mcp.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParameters = -32602;
constexpr int kResourceNotFound = -32002;
constexpr std::array<std::string_view, 3> kVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};

struct ProtocolError {
  int code;
  std::string message;
};

Json rpc_error(Json id, int code, std::string_view message) {
  Json error;
  error.set("code", code).set("message", message);
  Json answer;
  answer.set("jsonrpc", "2.0").set("id", std::move(id)).set("error", std::move(error));
  return answer;
}

Json rpc_result(Json id, Json result) {
  Json answer;
  answer.set("jsonrpc", "2.0").set("id", std::move(id)).set("result", std::move(result));
  return answer;
}

const Node& empty_mapping() {
  static const Node kEmpty = [] {
    Node node;
    node.kind = document::Kind::Mapping;
    return node;
  }();
  return kEmpty;
}

Json initialize(const Node& parameters) {
  const Node* wanted = parameters.find("protocolVersion");
  std::string version(kVersions.front());
  if (wanted != nullptr && McpServer::speaks(wanted->text)) {
    version = wanted->text;
  }
  Json capabilities;
  capabilities.set("tools", Json::object()).set("resources", Json::object());
  Json server;
  server.set("name", "kedge").set("title", "kedge").set("version", KEDGE_VERSION);
  Json result;
  result.set("protocolVersion", version).set("capabilities", std::move(capabilities));
  result.set("serverInfo", std::move(server));
  result.set("instructions",
             "Finds where declared data and real data have drifted apart and says what breaks. "
             "Every tool but ingest_datasource_models only reads.");
  return result;
}

Json tool_json(const Tool& tool) {
  Json annotations;
  annotations.set("title", tool.title).set("readOnlyHint", tool.read_only);
  annotations.set("destructiveHint", false).set("idempotentHint", true);
  annotations.set("openWorldHint", false);
  Json json;
  json.set("name", tool.name).set("title", tool.title).set("description", tool.description);
  json.set("inputSchema", tool.input_schema).set("annotations", std::move(annotations));
  return json;
}

Json tool_result(const ToolAnswer& answer) {
  Json text;
  text.set("type", "text").set("text", document::write_json(answer.json));
  Json content;
  content.push(std::move(text));
  Json result;
  result.set("content", std::move(content)).set("isError", answer.is_error);
  return result;
}

Json failure_json(const Problem& problem) {
  Json json;
  json.set("error", problem.code.name()).set("message", problem.message);
  if (!problem.hint.empty()) {
    json.set("hint", problem.hint);
  }
  return json;
}

Json resources_json(const std::vector<Resource>& resources) {
  Json list = Json::array();
  for (const Resource& resource : resources) {
    Json json;
    json.set("uri", resource.uri).set("name", resource.name);
    json.set("description", resource.description).set("mimeType", resource.mime_type);
    list.push(std::move(json));
  }
  Json result;
  result.set("resources", std::move(list));
  return result;
}

Json content_json(const std::string& uri, const ResourceContent& content) {
  Json item;
  item.set("uri", uri).set("mimeType", content.mime_type).set("text", content.text);
  Json list;
  list.push(std::move(item));
  Json result;
  result.set("contents", std::move(list));
  return result;
}

Json empty_list(std::string_view key) {
  Json result;
  result.set(key, Json::array());
  return result;
}

}  // namespace

bool McpServer::speaks(std::string_view version) {
  return std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

Json McpServer::call_tool(const Node& parameters, const app::Cancellation* cancellation) const {
  const Node* name = parameters.find("name");
  const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Tool& candidate) {
    return name != nullptr && candidate.name == name->text;
  });
  if (tool == tools.end()) {
    throw ProtocolError{kInvalidParameters,
                        "unknown tool" + (name != nullptr ? " '" + name->text + "'" : "")};
  }
  const Node* arguments = parameters.find("arguments");
  if (arguments != nullptr && !arguments->is_mapping()) {
    throw ProtocolError{kInvalidParameters, "arguments must be an object"};
  }
  try {
    return tool_result(
        tool->call(arguments != nullptr ? *arguments : empty_mapping(), cancellation));
  } catch (const Error& error) {
    return tool_result({failure_json(error.problem()), true});
  }
}

std::optional<Json> McpServer::handle_one(const Node& message,
                                          const app::Cancellation* cancellation) const {
  const Node* id_node = message.find("id");
  const Node* method = message.find("method");
  Json id = id_node != nullptr ? document::to_json(*id_node) : Json();
  const Node* version = message.find("jsonrpc");
  const Node* given = message.find("params");
  const bool is_named = method != nullptr && method->is_string();
  const bool is_version = version != nullptr && version->is_string() && version->text == "2.0";
  const bool has_id =
      id_node == nullptr || id_node->is_string() || id_node->kind == document::Kind::Integer;
  if (!message.is_mapping() || !is_version || !is_named || !has_id ||
      (given != nullptr && !given->is_mapping())) {
    const bool answer = message.is_mapping() && message.find("result") != nullptr;
    return answer ? std::nullopt
                  : std::optional(rpc_error(std::move(id), kInvalidRequest, "invalid request"));
  }
  if (id_node == nullptr) {
    return std::nullopt;  // a notification: nothing here needs one
  }
  const Node& parameters = given != nullptr && given->is_mapping() ? *given : empty_mapping();
  try {
    if (method->text == "initialize") {
      return rpc_result(std::move(id), initialize(parameters));
    }
    if (method->text == "ping") {
      return rpc_result(std::move(id), Json::object());
    }
    if (method->text == "tools/list") {
      Json list = Json::array();
      for (const Tool& tool : tools) {
        list.push(tool_json(tool));
      }
      Json result;
      result.set("tools", std::move(list));
      return rpc_result(std::move(id), std::move(result));
    }
    if (method->text == "tools/call") {
      return rpc_result(std::move(id), call_tool(parameters, cancellation));
    }
    if (method->text == "resources/list") {
      return rpc_result(std::move(id), resources_json(list_resources()));
    }
    if (method->text == "resources/templates/list") {
      return rpc_result(std::move(id), empty_list("resourceTemplates"));
    }
    if (method->text == "resources/read") {
      const Node* uri = parameters.find("uri");
      const std::string wanted = uri != nullptr ? uri->text : "";
      if (const std::optional<ResourceContent> content = read_resource(wanted, cancellation)) {
        return rpc_result(std::move(id), content_json(wanted, *content));
      }
      return rpc_error(std::move(id), kResourceNotFound, "no resource '" + wanted + "'");
    }
    return rpc_error(std::move(id), kMethodNotFound, "unknown method '" + method->text + "'");
  } catch (const ProtocolError& error) {
    return rpc_error(std::move(id), error.code, error.message);
  } catch (const Error& error) {
    return rpc_error(std::move(id), kInvalidParameters, error.what());
  }
}

Json McpServer::too_long(std::size_t most) {
  return rpc_error(Json(), kInvalidRequest,
                   "the message is larger than " + std::to_string(most) + " bytes");
}

std::optional<Json> McpServer::handle(const std::string& message,
                                      const app::Cancellation* cancellation) const {
  const document::Document read =
      document::read_document("message", message, document::Format::Json);
  if (!read.problems.empty()) {
    return rpc_error(Json(), kParseError, "parse error: " + read.problems.front().message);
  }
  if (!read.root.is_sequence()) {
    return handle_one(read.root, cancellation);
  }
  if (read.root.items.empty()) {
    return rpc_error(Json(), kInvalidRequest, "an empty batch");
  }
  Json answers = Json::array();
  for (const Node& item : read.root.items) {
    if (std::optional<Json> answer = handle_one(item, cancellation)) {
      answers.push(std::move(*answer));
    }
  }
  return answers.as_array()->empty() ? std::nullopt : std::optional(std::move(answers));
}

}  // namespace kedge::server
