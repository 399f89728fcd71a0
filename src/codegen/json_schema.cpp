#include "codegen/json_schema.h"

#include <algorithm>

namespace kedge::codegen {
namespace {

using document::Json;
using metadata::Field;
using metadata::FieldType;

Json typed(const char* type, const char* format = nullptr) {
  Json json;
  json.set("type", type);
  if (format != nullptr) {
    json.set("format", format);
  }
  return json;
}

std::string decimal_pattern(const Field& field) {
  const std::int64_t scale = field.scale.value_or(0);
  return scale > 0 ? "^-?[0-9]+(\\.[0-9]{1," + std::to_string(scale) + "})?$"
                   : "^-?[0-9]+(\\.[0-9]+)?$";
}

Json scalar_schema(const Field& field, const std::string& object_type, SchemaRefs refs) {
  switch (field.type) {
    case FieldType::String:
    case FieldType::Inet: {
      Json json = typed("string");
      if (field.max_length) {
        json.set("maxLength", *field.max_length);
      }
      return json;
    }
    case FieldType::Int:
      return typed("integer", "int32");
    case FieldType::Long:
    case FieldType::Currency:
      return typed("integer", "int64");
    case FieldType::Float:
      return typed("number", "float");
    case FieldType::Double:
      return typed("number", "double");
    case FieldType::Decimal:
      return typed("string").set("pattern", decimal_pattern(field));
    case FieldType::Boolean:
      return typed("boolean");
    case FieldType::Date:
      return typed("string", "date");
    case FieldType::Time:
      return typed("string", "time");
    case FieldType::Timestamp:
      return field.local_time
                 ? typed("string").set(
                       "pattern",
                       "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,3})?$")
                 : typed("string", "date-time");
    case FieldType::Uuid:
      return typed("string", "uuid");
    case FieldType::Uri:
      return typed("string", "uri");
    case FieldType::Bytes:
      return typed("string").set("contentEncoding", "base64");
    case FieldType::Enum: {
      Json values = Json::array();
      for (const std::string& value : field.values) {
        values.push(value);
      }
      return typed("string").set("enum", std::move(values));
    }
    case FieldType::Map:
      return typed("object");
    case FieldType::Object: {
      const std::string base =
          refs == SchemaRefs::Components ? "#/components/schemas/" : "#/$defs/";
      return Json().set("$ref", base + object_type);
    }
  }
  return {};
}

Json nullable_schema(Json schema) {
  if (Json* type = schema.find("type")) {
    *type = Json(Json::Array{*type, Json("null")});
    if (Json* values = schema.find("enum")) {
      values->push(Json());
    }
    return schema;
  }
  return Json().set("anyOf", Json(Json::Array{std::move(schema), typed("null")}));
}

Json properties_schema(const metadata::Object& object, const DataNames& names) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : object.fields) {
    const bool needed = is_required(object, field);
    Json schema = field_schema_json(field, names.type_name(field.object_ref), SchemaRefs::Local);
    if (!field.documentation.description.empty()) {
      schema.set("description", field.documentation.description);
    }
    properties.set(field.name, needed ? std::move(schema) : nullable_schema(std::move(schema)));
    if (needed) {
      required.push(field.name);
    }
  }
  Json json = typed("object");
  json.set("properties", std::move(properties));
  json.set("required", std::move(required));
  return json;
}

}  // namespace

bool is_required(const metadata::Object& object, const Field& field) {
  const metadata::Identity* key = metadata::find_primary(object);
  return field.required ||
         (key != nullptr && std::find(key->shape.fields.begin(), key->shape.fields.end(),
                                      field.name) != key->shape.fields.end());
}

Json field_schema_json(const Field& field, const std::string& object_type, SchemaRefs refs) {
  Json schema = scalar_schema(field, object_type, refs);
  return field.is_array ? typed("array").set("items", std::move(schema)) : schema;
}

std::string field_schema(const Field& field, bool nullable, const std::string& object_type,
                         SchemaRefs refs) {
  Json schema = field_schema_json(field, object_type, refs);
  return document::write_json(nullable ? nullable_schema(std::move(schema)) : schema, -1);
}

Json object_schema(const metadata::Model& model, const metadata::Object& object,
                   const DataNames& names) {
  Json schema = properties_schema(object, names);
  std::vector<std::string> pending;
  std::set<std::string> seen;
  const auto enqueue = [&](const metadata::Object& from) {
    for (const Field& field : from.fields) {
      if (field.type == FieldType::Object && seen.insert(field.object_ref).second) {
        pending.push_back(field.object_ref);
      }
    }
  };
  enqueue(object);
  std::map<std::string, Json> definitions;
  while (!pending.empty()) {
    const std::string next = pending.back();
    pending.pop_back();
    if (const metadata::Object* inner = metadata::find_object(model, next)) {
      definitions[names.type_name(next)] = properties_schema(*inner, names);
      enqueue(*inner);
    }
  }
  if (!definitions.empty()) {
    Json list = Json::object();
    for (auto& [name, definition] : definitions) {
      list.set(name, std::move(definition));
    }
    schema.set("$defs", std::move(list));
  }
  return schema;
}

std::string titled_schema(const metadata::Model& model, const metadata::Object& object,
                          const DataNames& names) {
  Json json;
  json.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.set("title", names.type_name(object.qualified_name));
  const Json schema = object_schema(model, object, names);
  for (const auto& [key, value] : *schema.as_object()) {
    json.set(key, value);
  }
  return document::write_json(json, -1);
}

std::string template_schema(const metadata::Model& model, const metadata::Template& node,
                            const DataNames& names) {
  const std::string& reference =
      node.kind == metadata::Template::Kind::Toolcall ? node.payload_ref : node.response_ref;
  const metadata::Object* object =
      reference.empty() ? nullptr : metadata::find_object(model, reference);
  return object != nullptr ? titled_schema(model, *object, names) : "";
}

}  // namespace kedge::codegen
