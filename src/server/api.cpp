#include "server/api.h"

#include <algorithm>

#include "app/check.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "report/check.h"
#include "report/html.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Node;

Node text_node(const std::string& text) {
  Node node;
  node.kind = document::Kind::String;
  node.text = text;
  return node;
}

// The body as one argument beside those of the path.
document::Document arguments_around_body(const Operation& operation, const Request& request) {
  document::Document arguments = parse_body(request, EmptyBody::Refused);
  Node body = std::move(arguments.root);
  arguments.root = Node();
  arguments.root.kind = document::Kind::Mapping;
  for (const auto& [name, value] : request.parameters) {
    arguments.root.entries.push_back({text_node(name), text_node(value)});
  }
  arguments.root.entries.push_back({text_node(operation.body_member), std::move(body)});
  return arguments;
}

// Path and query parameters as members beside those of the body.
document::Document arguments_of(const Operation& operation, const Request& request) {
  if (!operation.body_member.empty()) {
    return arguments_around_body(operation, request);
  }
  if (operation.method == "POST") {
    return parse_body(request, EmptyBody::Allowed);
  }
  Json json = Json::object();
  for (const auto& [name, value] : request.query) {
    json.set(name, value);
  }
  for (const auto& [name, value] : request.parameters) {
    json.set(name, value);
  }
  return document::read_document("request", document::write_json(json, -1), document::Format::Json);
}

// What the path does not hold is a parameter of the query.
void add_query_parameters(const Operation& operation, Endpoint& endpoint) {
  const Json* properties = operation.input_schema.find("properties");
  if (properties == nullptr) {
    return;
  }
  for (const auto& [name, schema] : *properties->as_object()) {
    if (operation.pattern.find("{" + name + "}") == std::string::npos) {
      Json text;
      text.set("type", "string");
      endpoint.query.push_back({name, "", std::move(text), false});
    }
  }
}

// Runs it with a context whose connections obey the cancellation, if there is one.
template <class Run>
auto cancellable(app::Context& context, const app::Cancellation* cancellation, const Run& run) {
  if (cancellation == nullptr) {
    return run(context);
  }
  app::CancellableContext own(context, *cancellation);
  return run(own.context());
}

Endpoint endpoint_of(app::Context& context, const Operation& operation) {
  Endpoint endpoint;
  endpoint.method = operation.method;
  endpoint.pattern = operation.pattern;
  endpoint.summary = operation.title;
  if (operation.method == "POST") {
    const Json* all = operation.input_schema.find("properties");
    endpoint.request_schema =
        operation.body_member.empty() ? operation.input_schema : *all->find(operation.body_member);
    endpoint.body_required = operation.input_schema.find("required") != nullptr ||
                             operation.input_schema.find("anyOf") != nullptr;
  }
  if (operation.method == "GET") {
    add_query_parameters(operation, endpoint);
  }
  endpoint.responses.push_back({200, "The result", Json::object()});
  for (const int status : operation.failures) {
    endpoint.responses.push_back(
        {status, status == 422 ? "It could not be done whole" : "Refused", {}});
  }
  endpoint.handle = [&context, operation](const Request& request) {
    const document::Document arguments = arguments_of(operation, request);
    const Answer answer = cancellable(context, request.cancellation, [&](app::Context& own) {
      return run_operation(operation, own, arguments.root);
    });
    Response response;
    response.status = answer.status;
    response.json = answer.json;
    return response;
  };
  return endpoint;
}

Endpoint plain(std::string pattern, std::string summary,
               std::function<Response(const Request&)> handle) {
  Endpoint endpoint;
  endpoint.method = "GET";
  endpoint.pattern = std::move(pattern);
  endpoint.summary = std::move(summary);
  endpoint.responses.push_back({200, "The result", {}});
  endpoint.handle = std::move(handle);
  return endpoint;
}

Response text_response(std::string text, std::string content_type) {
  Response response;
  response.text = std::move(text);
  response.content_type = std::move(content_type);
  return response;
}

Response health(const Request&) {
  Response response;
  response.json.set("status", "ok");
  return response;
}

Response page(const Request&) {
  return text_response(report::live_page(), "text/html; charset=utf-8");
}

// What is no JSON-RPC message at all is refused as HTTP too.
bool is_malformed(const Json& answer) {
  if (const Json::Array* batch = answer.as_array()) {
    return std::any_of(batch->begin(), batch->end(), is_malformed);
  }
  const Json* error = answer.find("error");
  const Json* code = error != nullptr ? error->find("code") : nullptr;
  return code != nullptr && (*code == Json(-32700) || *code == Json(-32600));
}

// A JSON-RPC message, or a batch of them.
Json message_schema() {
  Json version;
  version.set("const", "2.0");
  Json text;
  text.set("type", "string");
  Json id;
  id.set("type", Json(Json::Array{"string", "integer"}));
  Json object;
  object.set("type", "object");
  Json message = object;
  message.set("properties", Json(Json::Object{{"jsonrpc", std::move(version)},
                                              {"method", std::move(text)},
                                              {"id", std::move(id)},
                                              {"params", std::move(object)}}));
  message.set("required", Json(Json::Array{"jsonrpc", "method"}));
  Json batch;
  batch.set("type", "array").set("items", message).set("minItems", 1);
  Json either;
  either.set("anyOf", Json(Json::Array{std::move(message), std::move(batch)}));
  return either;
}

Endpoint mcp_endpoint(app::Context& context) {
  Endpoint endpoint;
  endpoint.method = "POST";
  endpoint.pattern = "/mcp";
  endpoint.summary = "Model Context Protocol, streamable HTTP";
  endpoint.request_schema = message_schema();
  endpoint.body_required = true;
  endpoint.responses.push_back({200, "The answer to a request", Json::object()});
  endpoint.responses.push_back({202, "A notification was taken", {}});
  endpoint.responses.push_back({400, "No message of the protocol", Json::object()});
  endpoint.handle = [mcp = make_mcp_server(context)](const Request& request) {
    const auto version = request.headers.find("mcp-protocol-version");
    if (version != request.headers.end() && !McpServer::speaks(version->second)) {
      return error_response(400, codes::ERR_BODY.name(),
                            "the protocol version '" + version->second + "' is not spoken here");
    }
    const std::optional<Json> answer = mcp.handle(request.body, request.cancellation);
    if (!answer) {
      Response response = text_response("", "text/plain");
      response.status = 202;
      return response;
    }
    Response response;
    response.json = *answer;
    response.status = is_malformed(*answer) ? 400 : 200;
    return response;
  };
  return endpoint;
}

std::string resource_text(app::Context& context, const std::string& path) {
  return context.files.read(base::join_path(context.folder, path)).value_or("");
}

// Model and metadata files of the project, and the findings of a check.
std::vector<Resource> list_resources(const app::Context& context) {
  std::vector<Resource> resources = {
      {"kedge://findings", "findings", "What kedge check finds now", "application/json"}};
  for (const std::string folder : {"models", "metadata"}) {
    const std::string root = base::join_path(context.folder, folder);
    for (const std::string& path : base::list_files(context.files, root)) {
      const std::string relative = path.substr(context.folder.size() + 1);
      const std::string kind = base::extension(path);
      if (kind == "yml" || kind == "yaml" || kind == "json") {
        resources.push_back({"kedge://" + relative, relative,
                             folder == "models" ? "A semantic model" : "A metadata file",
                             kind == "json" ? "application/json" : "application/yaml"});
      }
    }
  }
  return resources;
}

std::optional<ResourceContent> read_resource(app::Context& context, const std::string& uri) {
  if (uri == "kedge://findings") {
    return ResourceContent{"application/json",
                           document::write_json(report::check_json(app::check(context, {})))};
  }
  for (const Resource& resource : list_resources(context)) {
    if (resource.uri == uri) {
      return ResourceContent{resource.mime_type, resource_text(context, resource.name)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Endpoint> make_endpoints(app::Context& context, const Metrics& metrics) {
  std::vector<Endpoint> endpoints;
  for (const Operation& operation : all_operations()) {
    if (!operation.method.empty()) {
      endpoints.push_back(endpoint_of(context, operation));
    }
  }
  endpoints.push_back(mcp_endpoint(context));
  endpoints.push_back(plain("/health", "Is the server up?", health));
  endpoints.push_back(plain("/metrics", "Prometheus metrics", [&metrics](const Request&) {
    return text_response(metrics.text(), "text/plain; version=0.0.4");
  }));
  endpoints.push_back(plain("/", "The page", page));
  endpoints.push_back(
      plain("/page/data", "What the page draws", [&context](const Request& request) {
        return cancellable(context, request.cancellation, [](app::Context& own) {
          Response response;
          const app::CheckResult result = app::check(own, {});
          response.json = report::page_data(result, app::collect_page_parts(own, result));
          return response;
        });
      }));
  const Json openapi = openapi_document(endpoints);
  endpoints.push_back(plain("/openapi.json", "This document", [openapi](const Request&) {
    Response response;
    response.json = openapi;
    return response;
  }));
  return endpoints;
}

namespace {

// Some clients refuse a choice at the top of a tool's schema; the tool itself says what is needed.
Json plain_schema(const Json& schema) {
  Json plain = Json::object();
  for (const auto& [name, value] : *schema.as_object()) {
    if (name != "anyOf") {
      plain.set(name, value);
    }
  }
  return plain;
}

}  // namespace

McpServer make_mcp_server(app::Context& context) {
  McpServer server;
  for (const Operation& operation : all_operations()) {
    if (!operation.is_tool) {
      continue;
    }
    Tool tool;
    tool.name = operation.name;
    tool.title = operation.title;
    tool.description = operation.description;
    tool.input_schema = plain_schema(operation.input_schema);
    tool.read_only = operation.read_only;
    tool.call = [&context, operation](const Node& arguments,
                                      const app::Cancellation* cancellation) {
      const Answer answer = cancellable(context, cancellation, [&](app::Context& own) {
        return run_operation(operation, own, arguments);
      });
      return ToolAnswer{answer.json, answer.status >= 400};
    };
    server.tools.push_back(std::move(tool));
  }
  server.list_resources = [&context] { return list_resources(context); };
  server.read_resource = [&context](const std::string& uri, const app::Cancellation* cancellation) {
    return cancellable(context, cancellation,
                       [&](app::Context& own) { return read_resource(own, uri); });
  };
  return server;
}

}  // namespace kedge::server
