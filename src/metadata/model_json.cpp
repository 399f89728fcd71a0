#include "metadata/model_json.h"

#include <algorithm>

namespace kedge::metadata {
namespace {

using document::Json;

void text(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) {
    json.set(key, value);
  }
}
void flag(Json& json, const char* key, bool value) {
  if (value) {
    json.set(key, true);
  }
}
void number(Json& json, const char* key, const std::optional<std::int64_t>& value) {
  if (value) {
    json.set(key, *value);
  }
}
Json list(const std::vector<std::string>& values) {
  Json out = Json::array();
  for (const std::string& value : values) {
    out.push(value);
  }
  return out;
}
void texts(Json& json, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) {
    json.set(key, list(values));
  }
}

Json field_json(const Field& field, const Object& object) {
  Json json = Json::object();
  json.set("name", field.name);
  json.set("type", to_string(field.type));
  json.set("column", field.column);
  flag(json, "isArray", field.is_array);
  const Identity* primary = find_primary(object);
  const bool key =
      primary != nullptr && std::find(primary->shape.fields.begin(), primary->shape.fields.end(),
                                      field.name) != primary->shape.fields.end();
  json.set("nullable", !field.required && !key);
  flag(json, "required", field.required);
  flag(json, "unique", field.unique);
  flag(json, "derived", field.is_derived());
  flag(json, "localTime", field.local_time);
  flag(json, "readOnly", field.read_only);
  text(json, "mutability", field.mutability);
  number(json, "maxLength", field.max_length);
  number(json, "precision", field.precision);
  number(json, "scale", field.scale);
  text(json, "currency", field.currency);
  texts(json, "values", field.values);
  if (!field.int_values.empty()) {
    Json map = Json::object();
    for (const auto& [member, value] : field.int_values) {
      map.set(member, value);
    }
    json.set("intValues", std::move(map));
  }
  text(json, "objectRef", field.object_ref);
  text(json, "valueType", field.value_type);
  if (field.storage != Storage::None) {
    json.set("storage", field.storage == Storage::Flattened ? "flattened"
                        : field.storage == Storage::Jsonb   ? "jsonb"
                                                            : "subdocument");
  }
  if (field.default_value) {
    Json value = Json::object();
    value.set(field.default_value->kind == FieldDefault::Kind::Sql ? "sql" : "literal",
              field.default_value->text);
    json.set("default", std::move(value));
  }
  text(json, "description", field.documentation.description);
  return json;
}

Json identity_json(const Identity& identity) {
  Json json = Json::object();
  json.set("name", identity.name);
  json.set("kind", identity.kind == Identity::Kind::Primary ? "primary" : "secondary");
  texts(json, "fields", identity.shape.fields);
  text(json, "expression", identity.shape.expression);
  if (identity.generation != Generation::None) {
    json.set("generation", identity.generation == Generation::Increment ? "increment"
                           : identity.generation == Generation::Uuid    ? "uuid"
                                                                        : "assigned");
  }
  return json;
}

Json object_json(const Object& object) {
  Json json = Json::object();
  json.set("name", object.qualified_name);
  json.set("kind", to_string(object.kind));
  text(json, "extends", object.extends);
  text(json, "description", object.documentation.description);
  if (const Source* source = primary_source(object)) {
    const bool table = source->kind == Source::Kind::Table;
    json.set(table ? "table" : "view", source->physical);
    text(json, "schema", source->schema);
    flag(json, "unmanaged", source->unmanaged);
  }
  text(json, "tableOwner", object.table_owner);
  text(json, "discriminator", object.discriminator);
  text(json, "discriminatorValue", object.discriminator_value);
  Json fields = Json::array();
  for (const Field& field : object.fields) {
    fields.push(field_json(field, object));
  }
  json.set("fields", std::move(fields));
  Json identities = Json::array();
  for (const Identity& identity : object.identities) {
    identities.push(identity_json(identity));
  }
  json.set("identities", std::move(identities));
  Json references = Json::array();
  for (const Reference& reference : object.references) {
    Json each = Json::object();
    each.set("name", reference.name);
    texts(each, "fields", reference.fields);
    text(each, "target", reference.target);
    texts(each, "targetFields", reference.target_fields);
    references.push(std::move(each));
  }
  json.set("references", std::move(references));
  Json relationships = Json::array();
  for (const Relationship& relationship : object.relationships) {
    Json each = Json::object();
    each.set("name", relationship.name);
    text(each, "target", relationship.target);
    each.set("cardinality", relationship.many ? "many" : "one");
    text(each, "through", relationship.through);
    relationships.push(std::move(each));
  }
  json.set("relationships", std::move(relationships));
  return json;
}

Json template_json(const Template& node) {
  Json json = Json::object();
  json.set("name", node.qualified_name);
  json.set("kind", to_string(node.kind));
  text(json, "payload", node.payload_ref);
  text(json, "response", node.response_ref);
  text(json, "text", node.text_ref);
  text(json, "subject", node.subject_ref);
  text(json, "html", node.html_body_ref);
  text(json, "textBody", node.text_body_ref);
  text(json, "toolName", node.tool_name);
  json.set("format", node.format);
  return json;
}

template <class Item>
std::vector<const Item*> by_name(const std::vector<Item>& items) {
  std::vector<const Item*> out;
  for (const Item& item : items) {
    if (!item.is_abstract) {
      out.push_back(&item);
    }
  }
  std::sort(out.begin(), out.end(),
            [](const Item* a, const Item* b) { return a->qualified_name < b->qualified_name; });
  return out;
}

}  // namespace

Json to_json(const Model& model) {
  Json json = Json::object();
  json.set("format", "kedge-model/1");
  Json objects = Json::array();
  for (const Object* object : by_name(model.objects)) {
    objects.push(object_json(*object));
  }
  json.set("objects", std::move(objects));
  Json templates = Json::array();
  for (const Template* node : by_name(model.templates)) {
    templates.push(template_json(*node));
  }
  json.set("templates", std::move(templates));
  return json;
}

Json to_json(const Diagnostic& diagnostic) {
  const Problem& problem = diagnostic.finding.problem;
  Json json = Json::object();
  json.set("code", problem.code.name());
  json.set("severity", diagnostic.is_error() ? "error" : "warning");
  json.set("message", problem.message);
  if (problem.where) {
    json.set("file", problem.where->file);
    json.set("line", problem.where->line);
    json.set("column", problem.where->column);
  }
  json.set("pointer", diagnostic.pointer);
  text(json, "hint", problem.hint);
  texts(json, "suggestions", diagnostic.suggestions);
  if (!problem.notes.empty()) {
    Json related = Json::array();
    for (const Note& note : problem.notes) {
      Json each = Json::object();
      each.set("message", note.text);
      if (note.where) {
        each.set("file", note.where->file);
        each.set("line", note.where->line);
        each.set("column", note.where->column);
      }
      related.push(std::move(each));
    }
    json.set("related", std::move(related));
  }
  return json;
}

}  // namespace kedge::metadata
