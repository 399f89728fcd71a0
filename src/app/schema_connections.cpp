// connections.yml: the options of each connector come from the loader's own table.
#include "app/schema_files.h"
#include "app/schema_shapes.h"
#include "project/connector_options.h"

namespace kedge::app {
namespace {

using document::Json;

std::string kind_of(const project::OptionRule& option) {
  switch (option.kind) {
    case project::OptionKind::Text:
      return "text";
    case project::OptionKind::Boolean:
      return "bool";
    case project::OptionKind::Integer:
      return "int:" + std::to_string(option.least) + ":" + std::to_string(option.most);
    case project::OptionKind::Choice:
      return "enum:" + std::string(option.choices);
  }
  return "text";
}

Json one_of_keys(std::string_view first, std::string_view second) {
  Json list = Json::array();
  for (const std::string_view key : {first, second}) {
    Json each;
    each.set("required", words(key));
    list.push(std::move(each));
  }
  return list;
}

Json connector_schema(const ShapeSchemas& shapes, const project::ConnectorRule& rule) {
  Json schema = shapes.shape("connection");
  Json& properties = *schema.find("properties");
  Json& required = *schema.find("required");
  properties.set("entities", shapes.value(rule.database ? "{#entity.database|null}|null"
                                                        : "{#entity.files|null}|null"));
  for (const project::OptionRule& option : rule.options) {
    properties.set(option.name, shapes.value(kind_of(option)));
    if (option.need == project::Need::Required) {
      required.push(option.name);
    }
  }
  if (!rule.in_build) {
    schema.set("additionalProperties", shapes.value("text"));
  }
  if (rule.name == "odbc") {
    schema.set("oneOf", one_of_keys("dsn", "connection_string"));
  }
  return schema;
}

Json when_connector(std::string_view connector) {
  Json constant;
  constant.set("const", connector);
  Json properties;
  properties.set("connector", std::move(constant));
  Json condition;
  condition.set("properties", std::move(properties));
  condition.set("required", words("connector"));
  Json branch;
  branch.set("if", std::move(condition));
  branch.set("then", reference("connector." + std::string(connector)));
  return branch;
}

}  // namespace

Json connections_schema() {
  const ShapeSchemas shapes(connection_rows(), Beside::Variable);
  Json definitions = shapes.definitions();
  Json names = Json::array();
  Json branches = Json::array();
  for (const project::ConnectorRule& rule : project::connector_rules()) {
    names.push(rule.name);
    branches.push(when_connector(rule.name));
    definitions.set("connector." + std::string(rule.name), connector_schema(shapes, rule));
  }
  Json connector;
  connector.set("enum", std::move(names));
  Json properties;
  properties.set("connector", std::move(connector));
  Json connection = typed("object");
  connection.set("properties", std::move(properties));
  connection.set("required", words("connector"));
  connection.set("allOf", std::move(branches));
  definitions.set("connection", std::move(connection));

  Json name;
  name.set("pattern", "^(?!.*__)[A-Za-z_][A-Za-z0-9_]*$");
  Json schema = typed("object");
  schema.set("propertyNames", std::move(name));
  schema.set("additionalProperties", reference("connection"));
  schema.set("$defs", std::move(definitions));
  return schema;
}

}  // namespace kedge::app
