#include "app/templates.h"
#include "kedge/codes.h"
#include "report/problem.h"
#include "report/templates.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {
namespace {

using document::Json;
using document::Kind;
using document::Node;

// JSON with its scalars as they were written: a number of a payload keeps all its digits.
void write_exact(const Node& node, std::string& text) {
  const char* separator = "";
  if (node.is_sequence()) {
    text += '[';
    for (const Node& item : node.items) {
      text += separator;
      write_exact(item, text);
      separator = ",";
    }
    text += ']';
  } else if (node.is_mapping()) {
    text += '{';
    for (const document::Entry& entry : node.entries) {
      text += separator + document::write_json(Json(entry.key.text), -1) + ":";
      write_exact(entry.value, text);
      separator = ",";
    }
    text += '}';
  } else {
    text += node.is_string() ? document::write_json(Json(node.text), -1) : node.text;
  }
}

Json problems_json(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) {
    list.push(report::problem_json(problem));
  }
  return list;
}

Answer run_list(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {});
  return {200, report::template_list_json(app::list_templates(context))};
}

Answer run_render(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"name", "payload"});
  const std::optional<std::string> name = text_member(arguments, "name");
  const Node* payload = arguments.find("payload");
  if (!name || payload == nullptr || !payload->is_mapping()) {
    throw Error(codes::ERR_BODY, "'name' and an object 'payload' are needed");
  }
  app::RenderRequest request;
  request.name = *name;
  write_exact(*payload, request.payload);
  try {
    Json parts = Json::object();
    for (const app::RenderedPart& part : app::render_template(context, request)) {
      parts.set(part.part, part.text);
    }
    Answer answer;
    answer.json.set("template", *name).set("parts", std::move(parts));
    return answer;
  } catch (const templates::RenderError& error) {
    return {422, report::render_error_json(error, *name)};
  }
}

// Errors among the findings make it a 422 with the same body.
Answer run_verify_templates(app::Context& context, const Node& arguments) {
  refuse_unknown_keys(arguments, {"templates", "packs"});
  app::VerifyTemplatesRequest request;
  request.names = narrowing_member(arguments, "templates");
  request.packs =
      flag_member(arguments, "packs") ? app::PackTemplates::Check : app::PackTemplates::Skip;
  const app::VerifyTemplatesResult result = app::verify_templates(context, request);
  if (!result.errors.empty()) {
    Answer answer{422, {}};
    answer.json.set("error", result.errors.front().code.name());
    answer.json.set("message", result.errors.front().message);
    answer.json.set("errors", problems_json(result.errors));
    return answer;
  }
  return {result.count(Severity::Error) > 0 ? 422 : 200, report::templates_gate_json(result)};
}

}  // namespace

std::vector<Operation> template_operations() {
  Operation list;
  list.name = "list_templates";
  list.title = "List the templates";
  list.description = "Every template of the metadata, with its payload and its parts.";
  list.input_schema = object_schema({});
  list.run = run_list;
  list.method = "GET";
  list.pattern = "/templates";
  list.failures = {422};
  Json payload = Json::object();
  payload.set("type", "object").set("description", "What the template is rendered with");
  Operation render;
  render.name = "render_template";
  render.title = "Render a template";
  render.description =
      "Checks a template and its payload, then renders every part of it. Nothing is written.";
  render.input_schema =
      object_schema({{"name", text_schema("Qualified, or bare when only one has that name")},
                     {"payload", std::move(payload)}},
                    {"name", "payload"});
  render.run = run_render;
  render.method = "POST";
  render.pattern = "/templates/{name}/render";
  render.body_member = "payload";
  render.gives_data = true;
  render.failures = {400, 404, 422};
  Operation verify;
  verify.name = "verify_templates";
  verify.title = "Check the templates";
  verify.description =
      "Checks every reference of the templates against the payloads that the metadata declares.";
  verify.input_schema =
      object_schema({{"templates", narrowing_schema(list_schema("Only these"))},
                     {"packs", flag_schema("The templates of the packs that targets name, too")}});
  verify.run = run_verify_templates;
  verify.method = "POST";
  verify.pattern = "/templates/verify";
  verify.failures = {400, 404, 422};
  return {list, render, verify};
}

}  // namespace kedge::server
