// The metadata documents as one tree of nodes, before they become a model: "type.subtype" nodes
// with raw attributes. Nodes point into the documents, which the loader keeps alive.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "kedge/metadata.h"

namespace kedge::metadata {

struct Attribute {
  std::string name;  // without '@'
  const document::Node* key = nullptr;
  const document::Node* value = nullptr;
  const document::Document* document = nullptr;
  bool is_yaml() const { return document->format == document::Format::Yaml; }
};

struct TreeNode {
  std::string type;
  std::string subtype;
  std::string name;
  std::string package;  // of the file (or the node's own): where its bare references resolve
  std::string owner;    // qualified name of the top-level node that declares it
  std::string extends;  // as written, relative spellings expanded
  Place extends_place;
  bool is_abstract = false;
  bool is_overlay = false;
  std::optional<bool> is_array;
  const document::Document* document = nullptr;
  Place place;
  std::vector<Attribute> attributes;
  std::vector<std::string> refused;  // attributes given with a value that cannot be used
  std::vector<TreeNode> children;

  std::string kind() const { return type + "." + subtype; }
  const Attribute* find(std::string_view attribute) const;
  bool has_refused(std::string_view attribute) const;
  Place place_of(const Attribute& attribute) const;
};

std::string qualified_name(const std::string& package, const std::string& name);
// "harbour::fleet::Vessel": "harbour::fleet".
std::string package_of(std::string_view qualified);
bool same_value(const document::Node& a, const document::Node& b);
std::string escape_pointer(std::string_view token);

}  // namespace kedge::metadata
