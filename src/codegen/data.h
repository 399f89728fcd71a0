// The data that packs see (spec/codegen.md 3.2), built as plain nodes: model, packages, objects,
// fields. Also its published shape, against which pack templates are checked.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/pack.h"
#include "document/node.h"
#include "kedge/metadata.h"
#include "kedge/schema.h"
#include "kedge/templates.h"

namespace kedge::codegen {

struct TargetSettings {
  std::string name;
  std::string out;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::map<std::string, std::string> options;
  schema::Dialect dialect = schema::Dialect::Postgres;
  std::string project;  // its name, for documents that have a title
  std::string project_version;
};

struct ObjectData {
  const metadata::Object* object = nullptr;
  document::Node node;
};
struct TemplateData {
  const metadata::Template* node = nullptr;
  document::Node data;
};
struct PackageData {
  std::string package;
  document::Node node;  // with everything below
};
// An object appears in many lists, with a number of its own in each; there it is a node whose base
// is the one here. So a copy of a part is only good as long as this lives.
struct ModelData {
  document::Node model;
  std::deque<PackageData> packages;  // ascending
  std::deque<ObjectData> objects;    // in declaration order
  std::deque<TemplateData> templates;
  ModelData() = default;
  ModelData(ModelData&&) = default;
  ModelData& operator=(ModelData&&) = default;
};

bool is_in_scope(const TargetSettings& target, const std::string& qualified_name);
// Throws ERR_PACK_TYPE_UNMAPPED, ERR_GEN_NAME_COLLISION, ERR_PAYLOAD_NAME_COLLISION.
ModelData build_data(const metadata::Model& model, const Pack& pack, const TargetSettings& target);

// The shape that a template of this scope is checked against.
const templates::PayloadType& data_shape(Scope scope);

// Small makers of nodes.
document::Node text_node(std::string text);
document::Node boolean_node(bool value);
document::Node integer_node(std::int64_t value);
document::Node object_node();
document::Node list_node();
// Everything of a node that stays where it is, to be numbered on its own.
document::Node shared_node(const document::Node& node);
void set(document::Node& object, std::string_view key, document::Node value);
void set_text(document::Node& object, std::string_view key, std::string text);
// Tells each item of a list its index, and whether it is the first or last.
void number(document::Node& list);
// "description" on one line, and "comment" and "commentXml": the same, safe inside a comment.
void add_description(document::Node& node, const std::string& description);

}  // namespace kedge::codegen
