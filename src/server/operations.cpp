#include "server/operations.h"

#include "app/connections.h"

namespace kedge::server {

using document::Json;

Json object_schema(Json::Object properties, const std::vector<std::string>& required) {
  Json schema;
  schema.set("type", "object").set("properties", Json(std::move(properties)));
  if (!required.empty()) {
    Json names;
    for (const std::string& name : required) {
      names.push(name);
    }
    schema.set("required", std::move(names));
  }
  schema.set("additionalProperties", false);
  return schema;
}

Json text_schema(const std::string& description) {
  Json schema;
  schema.set("type", "string").set("description", description);
  return schema;
}

Json nullable_text_schema(const std::string& description) {
  Json types;
  types.push("string").push("null");
  Json schema;
  schema.set("type", std::move(types));
  if (!description.empty()) {
    schema.set("description", description);
  }
  return schema;
}

Json flag_schema(const std::string& description) {
  Json schema;
  schema.set("type", "boolean");
  if (!description.empty()) {
    schema.set("description", description);
  }
  return schema;
}

Json list_schema(const std::string& description) {
  Json items;
  items.set("type", "string");
  Json schema;
  schema.set("type", "array").set("items", std::move(items)).set("description", description);
  return schema;
}

Json narrowing_schema(Json list) {
  list.set("minItems", 1);
  return list;
}

Answer refused(const std::string& message, const std::string& hint) {
  Answer answer{422, {}};
  answer.json.set("error", codes::ERR_USAGE.name());
  answer.json.set("message", message).set("hint", hint);
  return answer;
}

Json pattern_schema(Json schema, const std::string& pattern) {
  schema.set("pattern", pattern);
  return schema;
}

Json pattern_list_schema(const std::string& description, const std::string& pattern) {
  Json schema = list_schema(description);
  schema.find("items")->set("pattern", pattern);
  return schema;
}

Json choice_list_schema(const std::string& description, const std::vector<std::string>& choices) {
  Json names = Json::array();
  for (const std::string& choice : choices) {
    names.push(choice);
  }
  Json schema = list_schema(description);
  schema.find("items")->set("enum", std::move(names));
  return schema;
}

Json any_of(Json schema, const std::vector<std::string>& names) {
  Json choices = Json::array();
  for (const std::string& name : names) {
    const Json* type = schema.find("properties")->find(name)->find("type");
    const std::string kind = type != nullptr && type->as_string() ? *type->as_string() : "";
    Json wanted = Json::object();
    if (kind == "array") {
      wanted.set("minItems", 1);
    } else if (kind == "boolean") {
      wanted.set("const", true);
    }
    Json choice;
    choice.set("required", Json(Json::Array{name}));
    choice.set("properties", Json(Json::Object{{name, std::move(wanted)}}));
    choices.push(std::move(choice));
  }
  schema.set("anyOf", std::move(choices));
  return schema;
}

namespace {

void collect_texts(const document::Node& node, std::vector<std::string>& texts) {
  if (node.is_string()) {
    texts.push_back(node.text);
  }
  for (const document::Node& item : node.items) {
    collect_texts(item, texts);
  }
  for (const document::Entry& entry : node.entries) {
    texts.push_back(entry.key.text);
    collect_texts(entry.value, texts);
  }
}

Json masked(const Json& json, const std::vector<std::string>& words) {
  if (const std::string* text = json.as_string()) {
    return app::without_passwords(*text, words);
  }
  if (const Json::Array* items = json.as_array()) {
    Json list = Json::array();
    for (const Json& item : *items) {
      list.push(masked(item, words));
    }
    return list;
  }
  if (const Json::Object* members = json.as_object()) {
    Json::Object object;
    for (const auto& [key, value] : *members) {
      object.emplace_back(app::without_passwords(key, words), masked(value, words));
    }
    return Json(std::move(object));
  }
  return json;
}

}  // namespace

Answer run_operation(const Operation& operation, app::Context& context,
                     const document::Node& arguments) {
  std::vector<std::string> texts;
  collect_texts(arguments, texts);
  const std::vector<std::string> words = app::with_passwords(texts);
  try {
    Answer answer = operation.run(context, arguments);
    if (!words.empty() && (answer.status >= 400 || !operation.gives_data)) {
      answer.json = masked(answer.json, words);
    }
    return answer;
  } catch (const Error& error) {
    if (words.empty()) {
      throw;
    }
    throw Error(app::without_passwords(error.problem(), words));
  }
}

std::vector<Operation> all_operations() {
  std::vector<Operation> operations;
  for (const auto& list :
       {model_operations(), union_operations(), contract_operations(), template_operations()}) {
    operations.insert(operations.end(), list.begin(), list.end());
  }
  return operations;
}

}  // namespace kedge::server
