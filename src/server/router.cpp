#include "server/router.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::server {
namespace {

// "/models/{data_source}/{name}" against a path; false when it does not match.
bool match(const std::string& pattern, const std::string& path,
           std::map<std::string, std::string>& parameters) {
  const std::vector<std::string> wanted = base::split(pattern, '/');
  const std::vector<std::string> given = base::split(path, '/');
  if (wanted.size() != given.size()) {
    return false;
  }
  std::map<std::string, std::string> found;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& part = wanted[i];
    if (part.size() > 2 && part.front() == '{' && part.back() == '}') {
      if (given[i].empty()) {
        return false;
      }
      found[part.substr(1, part.size() - 2)] = given[i];
    } else if (part != given[i]) {
      return false;
    }
  }
  parameters = std::move(found);
  return true;
}

std::string kind_name(document::Kind kind) {
  switch (kind) {
    case document::Kind::Null:
      return "null";
    case document::Kind::Boolean:
      return "a boolean";
    case document::Kind::Integer:
    case document::Kind::Float:
      return "a number";
    case document::Kind::String:
      return "a string";
    case document::Kind::Sequence:
      return "an array";
    case document::Kind::Mapping:
      return "an object";
  }
  return "";
}

int status_of(Code code) {
  // In a file an unknown key is a fault of the project (422), in a body one of the request.
  if (code == codes::unknown_key) {
    return 400;
  }
  // A source, a selection or an entity that the project does not have.
  if (code == codes::ERR_SOURCE || code == codes::PZ0210 || code == codes::PZ0127) {
    return 404;
  }
  return http_status_of(code);
}

[[noreturn]] void fail_type(std::string_view key, std::string_view wanted,
                            const document::Node& value) {
  throw Error(codes::ERR_BODY, "'" + std::string(key) + "' must be " + std::string(wanted) +
                                   ", not " + kind_name(value.kind));
}

}  // namespace

Response error_response(int status, std::string_view code, std::string_view message,
                        std::string_view hint) {
  Response response;
  response.status = status;
  response.json.set("error", code);
  response.json.set("message", message);
  if (!hint.empty()) {
    response.json.set("hint", hint);
  }
  return response;
}

Router::Router(std::vector<Endpoint> endpoints) : endpoints_(std::move(endpoints)) {}

const Endpoint* Router::find(const Request& request, std::map<std::string, std::string>& parameters,
                             std::vector<std::string>& allowed) const {
  for (const Endpoint& endpoint : endpoints_) {
    if (match(endpoint.pattern, request.path, parameters)) {
      if (endpoint.method == request.method ||
          (endpoint.method == "GET" && request.method == "HEAD")) {
        return &endpoint;
      }
      allowed.push_back(endpoint.method);
    }
  }
  return nullptr;
}

std::string Router::pattern_of(const std::string& method, const std::string& path) const {
  std::map<std::string, std::string> parameters;
  std::vector<std::string> allowed;
  Request request;
  request.method = method;
  request.path = path;
  const Endpoint* endpoint = find(request, parameters, allowed);
  return endpoint == nullptr ? "" : endpoint->pattern;
}

Response Router::dispatch(Request request) const {
  std::vector<std::string> allowed;
  const Endpoint* endpoint = find(request, request.parameters, allowed);
  if (endpoint == nullptr && !allowed.empty()) {
    Response response = error_response(405, "method_not_allowed",
                                       request.method + " is not possible on " + request.path);
    response.headers["Allow"] = base::join(allowed, ", ");
    return response;
  }
  if (endpoint == nullptr) {
    return error_response(404, codes::ERR_NOT_FOUND.name(), "there is nothing at " + request.path,
                          "GET /openapi.json lists every endpoint");
  }
  try {
    return endpoint->handle(request);
  } catch (const Error& error) {
    const Problem& problem = error.problem();
    const int status = status_of(problem.code);
    return error_response(status, problem.code.name(), problem.message, problem.hint);
  }
}

document::Document parse_body(const Request& request, EmptyBody empty) {
  if (base::trim(request.body).empty()) {
    if (empty == EmptyBody::Refused) {
      throw Error(codes::ERR_BODY, "a JSON object is needed as the body");
    }
    return document::read_document("body", "{}", document::Format::Json);
  }
  document::Document body = document::read_document("body", request.body, document::Format::Json);
  if (!body.problems.empty()) {
    throw Error(Problem{
        codes::ERR_BODY, body.problems.front().message, body.problems.front().where, "", {}});
  }
  if (!body.root.is_mapping()) {
    throw Error(codes::ERR_BODY,
                "the body must be a JSON object, not " + kind_name(body.root.kind));
  }
  return body;
}

void refuse_unknown_keys(const document::Node& object, const std::vector<std::string>& known) {
  for (const document::Entry& entry : object.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      throw Error(codes::unknown_key, "unknown key '" + entry.key.text + "'" +
                                          base::did_you_mean(entry.key.text, known));
    }
  }
}

std::optional<std::string> text_member(const document::Node& object, std::string_view key) {
  const document::Node* value = object.find(key);
  if (value == nullptr || value->kind == document::Kind::Null) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    fail_type(key, "a string", *value);
  }
  return value->text;
}

bool flag_member(const document::Node& object, std::string_view key) {
  const document::Node* value = object.find(key);
  if (value == nullptr) {
    return false;
  }
  if (!value->as_boolean()) {
    fail_type(key, "a boolean", *value);
  }
  return *value->as_boolean();
}

std::vector<std::string> list_member(const document::Node& object, std::string_view key) {
  std::vector<std::string> items;
  const document::Node* value = object.find(key);
  if (value == nullptr) {
    return items;
  }
  if (!value->is_sequence()) {
    fail_type(key, "an array of strings", *value);
  }
  for (const document::Node& item : value->items) {
    if (!item.is_string()) {
      fail_type(key, "an array of strings", item);
    }
    items.push_back(item.text);
  }
  return items;
}

std::vector<std::string> narrowing_member(const document::Node& object, std::string_view key) {
  std::vector<std::string> items = list_member(object, key);
  if (items.empty() && object.find(key) != nullptr) {
    throw Error(codes::ERR_BODY, "'" + std::string(key) + "' is an empty list",
                "leave it out to ask for all");
  }
  return items;
}

}  // namespace kedge::server
