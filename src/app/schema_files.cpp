#include "app/schema_files.h"

#include "app/schema_shapes.h"

namespace kedge::app {
namespace {

using document::Json;

// The whole document is of one shape.
Json rooted(const ShapeSchemas& shapes, std::string_view root) {
  Json schema = reference(root);
  schema.set("$defs", shapes.definitions());
  return schema;
}

Json requires_key(std::string_view key) {
  Json json;
  json.set("required", words(key));
  return json;
}

Json model_schema() {
  Json schema = rooted(ShapeSchemas(model_rows(), Beside::Null), "model");
  Json modes = Json::array();
  for (const std::string_view key : {"sql_table", "sql", "source_queries"}) {
    Json given;
    given.set("not", typed("null"));
    Json properties;
    properties.set(key, std::move(given));
    modes.push(requires_key(key).set("properties", std::move(properties)));
  }
  schema.find("$defs")->find("model")->set("oneOf", std::move(modes));
  return schema;
}

Json sidecar_schema() {
  const ShapeSchemas shapes(sidecar_rows(), Beside::Nothing);
  Json schema = rooted(shapes, "sidecar");
  Json types = Json::array();
  for (const ShapeRow& row : sidecar_rows()) {
    if (row.shapes == "check") {
      types.push(requires_key(row.key));
    }
  }
  schema.find("$defs")->find("check")->set("oneOf", std::move(types));
  return schema;
}

SchemaFile file(const std::string& name, const std::string& covers, const Json& body) {
  Json schema;
  schema.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  schema.set("title", covers);
  for (const Json::Member& member : *body.as_object()) {
    schema.set(member.first, member.second);
  }
  return {name + ".schema.json", covers, std::move(schema)};
}

}  // namespace

std::vector<SchemaFile> schema_files() {
  std::vector<SchemaFile> files;
  files.push_back(file("connections", "connections.yml", connections_schema()));
  files.push_back(file("metadata", "metadata/**/*.yml", metadata_schema()));
  files.push_back(file("model", "models/*/*.yml", model_schema()));
  files.push_back(file("project", "project.yml",
                       rooted(ShapeSchemas(project_rows(), Beside::Nothing), "project")));
  files.push_back(file("sidecar", "pipelines/configs/*.yml", sidecar_schema()));
  return files;
}

SchemaFilesResult write_schema_files(const Context& context, const SchemaFilesRequest& request) {
  SchemaFilesResult result;
  result.files = schema_files();
  for (const SchemaFile& each : result.files) {
    const std::string path = base::join_path(request.out, each.name);
    context.files.write(base::join_path(context.folder, path),
                        document::write_json(each.schema) + "\n");
    result.written.push_back(path);
  }
  return result;
}

}  // namespace kedge::app
