#include "codegen/model_file.h"

#include "base/text.h"

namespace kedge::codegen {
namespace {

using document::Json;
using document::Node;

Json column_json(const Node& column) {
  Json values = Json::array();
  for (const Node& value : column.find("values")->items) {
    values.push(value.find("value")->text);
  }
  Json json;
  json.set("field", column.find("field")->text);
  json.set("column", column.find("column")->text);
  json.set("type", column.find("type")->text);
  json.set("nullable", column.find("nullable")->text == "true");
  json.set("key", column.find("keyPosition")->as_integer().value_or(0));
  json.set("values", std::move(values));
  json.set("length", column.find("maxLength")->as_integer().value_or(0));
  return json;
}

}  // namespace

Pack neutral_pack() {
  Pack pack;
  pack.name = "model";
  for (const char* type :
       {"string", "int", "long", "float", "double", "decimal", "boolean", "date", "time",
        "timestamp", "currency", "uuid", "enum", "object", "map", "uri", "inet", "bytes"}) {
    pack.types[type] = type;
  }
  return pack;
}

Json model_json(const metadata::Model& model, const TargetSettings& scope) {
  TargetSettings target;
  target.name = "model";
  target.include = scope.include;
  target.exclude = scope.exclude;
  const ModelData data = build_data(model, neutral_pack(), target);
  Json entities = Json::array();
  for (const ObjectData& object : data.objects) {
    const Node* table = object.node.find("table");
    if (table == nullptr) {
      continue;
    }
    Json columns = Json::array();
    for (const Node& column : table->find("columns")->items) {
      columns.push(column_json(column));
    }
    entities.push(Json()
                      .set("object", object.object->qualified_name)
                      .set("schema", table->find("schema")->text)
                      .set("table", table->find("name")->text)
                      .set("columns", std::move(columns)));
  }
  return Json().set("kedge_model", 1).set("entities", std::move(entities));
}

std::string model_sha(const metadata::Model& model) {
  return base::sha256_hex(document::write_json(model_json(model), -1));
}

}  // namespace kedge::codegen
