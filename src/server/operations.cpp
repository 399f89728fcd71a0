#include "server/operations.h"

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

std::vector<Operation> all_operations() {
  std::vector<Operation> operations;
  for (const auto& list : {model_operations(), union_operations(), contract_operations()}) {
    operations.insert(operations.end(), list.begin(), list.end());
  }
  return operations;
}

}  // namespace kedge::server
