// Endpoints as data: one table gives the routes, the OpenAPI document and the metrics. A handler
// gets a request as a value and returns a response as a value; sockets are http.h's business.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cancellation.h"
#include "document/json.h"
#include "document/node.h"

namespace kedge::server {

struct Request {
  std::string method;
  std::string path;
  std::map<std::string, std::string> query;       // decoded; the last of equal names
  std::map<std::string, std::string> parameters;  // {name} parts of the pattern, decoded
  std::string body;
  std::string content_type;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string id;
  const app::Cancellation* cancellation = nullptr;  // of what it does in databases; null: none
};

struct Response {
  int status = 200;
  document::Json json;
  std::string text;  // used instead of `json` when content_type is not JSON
  std::string content_type = "application/json";
  std::map<std::string, std::string> headers;
};

struct ResponseDescription {
  int status = 200;
  std::string description;
  document::Json schema;  // null: no body is described
};

struct Parameter {
  std::string name;
  std::string description;
  document::Json schema;
  bool required = false;
};

struct Endpoint {
  std::string method;   // "GET", "POST"
  std::string pattern;  // "/models/{data_source}/{name}"
  std::string summary;
  document::Json request_schema;  // null: no body
  std::vector<Parameter> query;
  std::vector<ResponseDescription> responses;
  std::function<Response(const Request&)> handle;
  bool body_required = false;
};

class Router {
 public:
  explicit Router(std::vector<Endpoint> endpoints);
  // Finds the endpoint and fills the parameters. An Error thrown by the handler becomes
  // {"error": code, "message": ...} with the status of its code's class. Unknown path: 404,
  // known path with another method: 405.
  Response dispatch(Request request) const;
  const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  // The pattern that serves a path, for metrics; "" when none does.
  std::string pattern_of(const std::string& method, const std::string& path) const;

 private:
  const Endpoint* find(const Request& request, std::map<std::string, std::string>& parameters,
                       std::vector<std::string>& allowed) const;
  std::vector<Endpoint> endpoints_;
};

// {"error": code, "message": text, "hint"?: text}
Response error_response(int status, std::string_view code, std::string_view message,
                        std::string_view hint = {});
// The body as an object; throws ERR_BODY (400) for malformed JSON, a non-object, unknown keys and
// wrong types. An empty body is an empty object when `empty_allowed`.
enum class EmptyBody { Allowed, Refused };
document::Document parse_body(const Request& request, EmptyBody empty);
// Throws unknown_key naming the nearest legal key.
void refuse_unknown_keys(const document::Node& object, const std::vector<std::string>& known);
std::optional<std::string> text_member(const document::Node& object, std::string_view key);
bool flag_member(const document::Node& object, std::string_view key);
std::vector<std::string> list_member(const document::Node& object, std::string_view key);
// Of a list that narrows ("only these"): an empty one would mean all, and is refused.
std::vector<std::string> narrowing_member(const document::Node& object, std::string_view key);

document::Json openapi_document(const std::vector<Endpoint>& endpoints);

}  // namespace kedge::server
