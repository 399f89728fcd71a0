// Metadata files, from the registry of node types. Attributes that a type needs are not required
// here: another file, a parent or an overlay may give them.
#include "app/schema_files.h"
#include "app/schema_shapes.h"
#include "metadata/registry.h"

namespace kedge::app {
namespace {

using document::Json;
using metadata::AttributeKind;
using metadata::TypeRule;

Json one_of(std::vector<Json> choices) {
  Json json;
  json.set("anyOf", Json(Json::Array(std::move(choices))));
  return json;
}

Json map_of(std::string_view type) {
  Json json = typed("object");
  json.set("additionalProperties", typed(type));
  return json;
}

Json text_of(const metadata::AttributeRule& rule) {
  Json json = typed("string");
  if (!rule.choices.empty() && rule.name != "dbColumnType") {
    json.set("enum", words(rule.choices));
  }
  return json;
}

Json default_value() {
  Json properties;
  properties.set("sql", typed("string"));
  Json sql = typed("object");
  sql.set("properties", std::move(properties));
  sql.set("required", words("sql"));
  sql.set("additionalProperties", false);
  return one_of({typed("string"), typed("number"), typed("boolean"), std::move(sql)});
}

Json attribute(const metadata::AttributeRule& rule) {
  switch (rule.kind) {
    case AttributeKind::String:
    case AttributeKind::Reference:
      return text_of(rule);
    case AttributeKind::Strings: {
      Json list = typed("array");
      list.set("items", text_of(rule));
      return one_of({text_of(rule), std::move(list)});
    }
    case AttributeKind::Integer:
      return typed("integer");
    case AttributeKind::Number:
      return typed("number");
    case AttributeKind::Boolean:
      return typed("boolean");
    case AttributeKind::AnyScalar:
      return one_of({typed("string"), typed("number"), typed("boolean")});
    case AttributeKind::Default:
      return default_value();
    case AttributeKind::Filter:
    case AttributeKind::Expression:
      return typed("object");
    case AttributeKind::StringMap:
      return map_of("string");
    case AttributeKind::IntegerMap:
      return map_of("integer");
    case AttributeKind::Any:
      return Json(true);
  }
  return Json(true);
}

// The keys that every node may have beside its attributes.
void add_structure(Json& properties, const TypeRule& type) {
  Json name = typed("string");
  name.set("pattern", "^[A-Za-z_][A-Za-z0-9_]*$");
  properties.set("name", std::move(name));
  properties.set("package", typed("string"));
  properties.set("extends", typed("string"));
  properties.set("abstract", typed("boolean"));
  properties.set("overlay", typed("boolean"));
  properties.set("isArray", typed("boolean"));
  properties.set("value", Json(true));
  Json children;
  children.set("type", words("array null"));
  children.set("items", reference("children." + std::string(type.type)));
  properties.set("children", std::move(children));
}

Json body(const TypeRule& type, const std::string& subtype) {
  Json properties = Json::object();
  add_structure(properties, type);
  for (const metadata::AttributeRule& rule : metadata::attributes_of(type.type, subtype)) {
    properties.set(rule.name, attribute(rule));
    properties.set("@" + std::string(rule.name), attribute(rule));
  }
  Json json;
  json.set("type", type.type == "metadata" ? words("object null") : words("object string null"));
  json.set("properties", std::move(properties));
  json.set("additionalProperties", false);
  return json;
}

bool is_object_rule(const std::string& subtype) {
  return subtype == "comparison" || subtype == "requiredWhen" || subtype == "presentIff" ||
         subtype == "atLeastOne";
}

bool may_stand(const TypeRule& parent, const TypeRule& child, const std::string& subtype) {
  if (child.type == "template" && subtype == "base") {
    return false;
  }
  return child.type != "validator" || subtype == "base" ||
         is_object_rule(subtype) == (parent.type == "object");
}

void add_child_keys(Json& keys, const TypeRule& parent, const TypeRule& child) {
  for (const std::string& subtype : metadata::split_words(child.subtypes)) {
    if (!may_stand(parent, child, subtype)) {
      continue;
    }
    const std::string kind = std::string(child.type) + "." + subtype;
    for (const std::string_view suffix : {"", "[]"}) {
      keys.set(kind + std::string(suffix), reference(kind));
      if (subtype == child.default_subtype) {
        keys.set(std::string(child.type) + std::string(suffix), reference(kind));
      }
    }
  }
}

// One node: an object with one key, the kind of the node.
Json child_node(const TypeRule& parent) {
  Json keys = Json::object();
  for (const std::string& name : metadata::type_names()) {
    const TypeRule* child = metadata::find_type(name);
    if (!metadata::is_free_form(name) && metadata::may_hold(parent.type, name)) {
      add_child_keys(keys, parent, *child);
    }
  }
  Json free;
  free.set("^(view|layout|attr|dimension|measure)(\\.|\\[\\]$|$)", Json(true));
  free.set("^(requirement|operation|event|policy|service)(\\.|\\[\\]$|$)", Json(true));
  Json json = typed("object");
  json.set("minProperties", 1);
  json.set("maxProperties", 1);
  json.set("properties", std::move(keys));
  json.set("patternProperties", std::move(free));
  json.set("additionalProperties", false);
  return json;
}

Json wrapped_root() {
  Json properties;
  properties.set("metadata", reference("metadata.root"));
  properties.set("metadata.root", reference("metadata.root"));
  Json json = typed("object");
  json.set("properties", std::move(properties));
  json.set("minProperties", 1);
  json.set("maxProperties", 1);
  json.set("additionalProperties", false);
  return json;
}

}  // namespace

Json metadata_schema() {
  Json definitions = Json::object();
  for (const std::string& name : metadata::type_names()) {
    const TypeRule& type = *metadata::find_type(name);
    if (metadata::is_free_form(name)) {
      continue;
    }
    for (const std::string& subtype : metadata::split_words(type.subtypes)) {
      definitions.set(name + "." + subtype, body(type, subtype));
    }
    definitions.set("children." + name, child_node(type));
  }
  Json schema =
      one_of({reference("metadata.root"), wrapped_root(), reference("children.metadata")});
  schema.set("$defs", std::move(definitions));
  return schema;
}

}  // namespace kedge::app
