#include "base/text.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Json;

Json error_schema() {
  Json text;
  text.set("type", "string");
  Json properties;
  properties.set("error", text).set("message", text).set("hint", text);
  Json schema;
  schema.set("type", "object").set("properties", properties);
  Json required;
  required.push("error").push("message");
  schema.set("required", required);
  return schema;
}

Json json_content(Json schema) {
  Json media;
  media.set("schema", std::move(schema));
  Json content;
  content.set("application/json", std::move(media));
  return content;
}

Json parameter(std::string_view name, std::string_view where, const Parameter& description) {
  Json json;
  json.set("name", name).set("in", where);
  json.set("required", where == "path" || description.required);
  if (!description.description.empty()) {
    json.set("description", description.description);
  }
  Json schema = description.schema;
  if (schema.is_null()) {
    schema.set("type", "string");
  }
  json.set("schema", std::move(schema));
  return json;
}

Json parameters_of(const Endpoint& endpoint) {
  Json list = Json::array();
  for (const std::string& part : base::split(endpoint.pattern, '/')) {
    if (part.size() > 2 && part.front() == '{') {
      list.push(parameter(part.substr(1, part.size() - 2), "path", {}));
    }
  }
  for (const Parameter& query : endpoint.query) {
    list.push(parameter(query.name, "query", query));
  }
  return list;
}

// A name for clients, from method and path: "get_models_data_source_name".
std::string operation_id(const Endpoint& endpoint) {
  std::string id = base::to_lower(endpoint.method);
  for (const char c : endpoint.pattern) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (plain) {
      id += c;
    } else if (id.back() != '_') {
      id += '_';
    }
  }
  return id.back() == '_' ? id.substr(0, id.size() - 1) : id;
}

Json operation_of(const Endpoint& endpoint) {
  Json operation;
  operation.set("operationId", operation_id(endpoint));
  operation.set("summary", endpoint.summary);
  operation.set("parameters", parameters_of(endpoint));
  if (!endpoint.request_schema.is_null()) {
    Json body;
    body.set("required", endpoint.body_required);
    body.set("content", json_content(endpoint.request_schema));
    operation.set("requestBody", std::move(body));
  }
  Json responses = Json::object();
  for (const ResponseDescription& response : endpoint.responses) {
    Json json;
    json.set("description", response.description);
    if (!response.schema.is_null()) {
      json.set("content", json_content(response.schema));
    } else if (response.status >= 400) {
      json.set("content", json_content(error_schema()));
    }
    responses.set(std::to_string(response.status), std::move(json));
  }
  Json other;
  other.set("description", "Any other failure");
  other.set("content", json_content(error_schema()));
  responses.set("default", std::move(other));
  operation.set("responses", std::move(responses));
  return operation;
}

}  // namespace

document::Json openapi_document(const std::vector<Endpoint>& endpoints) {
  Json info;
  info.set("title", "kedge").set("version", KEDGE_VERSION);
  info.set("summary", "Finds where declared data and real data have drifted apart");
  Json license;
  license.set("name", "Apache-2.0").set("identifier", "Apache-2.0");
  info.set("license", std::move(license));
  Json paths = Json::object();
  for (const Endpoint& endpoint : endpoints) {
    if (paths.find(endpoint.pattern) == nullptr) {
      paths.set(endpoint.pattern, Json::object());
    }
    paths.find(endpoint.pattern)->set(base::to_lower(endpoint.method), operation_of(endpoint));
  }
  Json bearer;
  bearer.set("type", "http").set("scheme", "bearer");
  Json schemes;
  schemes.set("token", std::move(bearer));
  Json components;
  components.set("securitySchemes", std::move(schemes));
  Json document;
  document.set("openapi", "3.1.0").set("info", std::move(info));
  document.set("paths", std::move(paths)).set("components", std::move(components));
  Json none = Json::object();
  Json token;
  token.set("token", Json::array());
  Json security;
  security.push(std::move(none)).push(std::move(token));
  document.set("security", std::move(security));
  return document;
}

}  // namespace kedge::server
