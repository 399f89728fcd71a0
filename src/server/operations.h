// What REST and MCP offer, once: each operation takes arguments as a JSON object and gives a status
// and a JSON answer. REST adds a path, MCP a tool name; neither adds behaviour. Nothing here
// deletes or alters anything beyond ingest (spec/models.md 14.3, 14.4).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/context.h"
#include "document/json.h"
#include "document/node.h"

namespace kedge::server {

struct Answer {
  int status = 200;
  document::Json json;
};

struct Operation {
  std::string name;  // the MCP tool
  std::string title;
  std::string description;
  document::Json input_schema;  // of the arguments; unknown members are refused
  std::function<Answer(app::Context&, const document::Node&)> run;
  std::string method;       // REST; empty: no endpoint
  std::string pattern;      // parts in braces and query parameters become arguments
  std::string body_member;  // REST: the whole body is this argument; empty: it holds all of them
  bool is_tool = true;      // offered through MCP
  bool read_only = true;
  bool gives_data = false;    // success holds rows or texts, which are given as they are
  std::vector<int> failures;  // statuses that the OpenAPI document names
};

// Runs it; what an Error or an answer repeats of the arguments is shown without passwords.
Answer run_operation(const Operation& operation, app::Context& context,
                     const document::Node& arguments);

std::vector<Operation> all_operations();
std::vector<Operation> model_operations();
std::vector<Operation> union_operations();     // check, impact, diff, inspect, explain
std::vector<Operation> contract_operations();  // validate, drift, runs
std::vector<Operation> template_operations();  // list, render, verify

// JSON Schema helpers.
document::Json object_schema(document::Json::Object properties,
                             const std::vector<std::string>& required = {});
// 422: a good request by its schema, which is refused as a whole.
Answer refused(const std::string& message, const std::string& hint);

document::Json text_schema(const std::string& description);
document::Json nullable_text_schema(const std::string& description);
document::Json flag_schema(const std::string& description);
document::Json list_schema(const std::string& description);
document::Json narrowing_schema(document::Json list);  // at least one: see narrowing_member
document::Json pattern_schema(document::Json schema, const std::string& pattern);  // of the text
document::Json pattern_list_schema(const std::string& description, const std::string& pattern);
document::Json choice_list_schema(const std::string& description,
                                  const std::vector<std::string>& choices);
// One of the members must be there; lists among them must have an item, flags must be true.
document::Json any_of(document::Json schema, const std::vector<std::string>& names);
inline constexpr const char* kConnectionPattern = "^[A-Za-z0-9_]+$";

}  // namespace kedge::server
