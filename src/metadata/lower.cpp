#include "metadata/lower.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "metadata/merge.h"
#include "metadata/registry.h"
#include "metadata/value_check.h"

namespace kedge::metadata {
namespace {

using document::Entry;
using document::Node;

constexpr std::array<std::string_view, 8> kStructural = {
    "name", "package", "extends", "abstract", "overlay", "isArray", "children", "value"};

bool is_structural(std::string_view key) {
  return std::find(kStructural.begin(), kStructural.end(), key) != kStructural.end();
}

struct NodeKey {
  std::string type;
  std::string subtype;
  bool is_array = false;
};

NodeKey split_key(std::string_view key) {
  NodeKey parts;
  if (key.size() > 2 && key.substr(key.size() - 2) == "[]") {
    parts.is_array = true;
    key.remove_suffix(2);
  }
  const std::size_t dot = key.find('.');
  parts.type = std::string(key.substr(0, dot));
  if (dot != std::string_view::npos) {
    parts.subtype = std::string(key.substr(dot + 1));
  }
  return parts;
}

class Lowering {
 public:
  Lowering(const document::Document& document, const Settings& settings, Diagnostics& diagnostics,
           std::set<std::string>& families)
      : document_(document),
        settings_(settings),
        diagnostics_(diagnostics),
        families_(families),
        yaml_(document.format == document::Format::Yaml) {}

  void run(std::vector<TreeNode>& out);

 private:
  Place place(const Node& node, const std::string& pointer) const {
    return {document_.position(node), pointer};
  }
  void lower_root(const Node& body, const std::string& pointer, std::vector<TreeNode>& out);
  void lower_children(const Node& list, const std::string& pointer, TreeNode& parent);
  std::optional<TreeNode> lower_child(const Node& item, const std::string& pointer,
                                      const TreeNode& parent);
  std::optional<TreeNode> lower_node(const Entry& entry, const std::string& pointer,
                                     const TreeNode& parent);
  bool resolve_kind(NodeKey& key, const Entry& entry, const std::string& pointer,
                    std::string_view parent_type);
  void lower_body(const Node& body, const std::string& pointer, TreeNode& node);
  void structural(const Entry& entry, const std::string& pointer, TreeNode& node);
  void attribute(const Entry& entry, const std::string& pointer, TreeNode& node);
  void unknown_attribute(const std::string& name, const Entry& entry, const std::string& pointer,
                         const TreeNode& node);
  std::string string_of(const Node& value, const std::string& pointer, std::string_view key);
  std::optional<bool> boolean_of(const Node& value, const std::string& pointer,
                                 std::string_view key);
  void check_name(const Node& value, const std::string& pointer, std::string_view what);
  Code bad_value() const { return yaml_ ? codes::ERR_YAML_COERCION : codes::ERR_BAD_ATTR_VALUE; }

  const document::Document& document_;
  const Settings& settings_;
  Diagnostics& diagnostics_;
  std::set<std::string>& families_;
  bool yaml_;
};

void Lowering::run(std::vector<TreeNode>& out) {
  const Node& root = document_.root;
  if (!root.is_mapping()) {
    diagnostics_.error(codes::ERR_TOP_LEVEL_NOT_OBJECT,
                       "a metadata document is one object with one type key", place(root, ""));
    return;
  }
  if (root.entries.size() == 1) {
    const Entry& entry = root.entries.front();
    const NodeKey key = split_key(entry.key.text);
    const std::string pointer = "/" + escape_pointer(entry.key.text);
    if (key.type == "metadata" && (key.subtype.empty() || key.subtype == "root")) {
      return lower_root(entry.value, pointer, out);
    }
    if (!is_structural(entry.key.text) && entry.key.text.substr(0, 1) != "@") {
      TreeNode parent;
      parent.type = "metadata";
      parent.subtype = "root";
      if (auto node = lower_node(entry, pointer, parent)) {
        out.push_back(std::move(*node));
      }
      return;
    }
  }
  if (!yaml_) {
    diagnostics_.error(codes::ERR_TOP_LEVEL_NOT_OBJECT,
                       "a metadata document is one object with one type key, for instance "
                       "\"metadata.root\"",
                       place(root, ""));
    return;
  }
  lower_root(root, "", out);
}

void Lowering::lower_root(const Node& body, const std::string& pointer,
                          std::vector<TreeNode>& out) {
  TreeNode root;
  root.type = "metadata";
  root.subtype = "root";
  root.document = &document_;
  root.place = place(body, pointer);
  if (body.kind == document::Kind::Null) {
    return;
  }
  if (!body.is_mapping()) {
    diagnostics_.error(codes::ERR_TOP_LEVEL_NOT_OBJECT, "the root of metadata is an object",
                       root.place);
    return;
  }
  if (const Node* package = body.find("package")) {
    root.package = string_of(*package, pointer + "/package", "package");
    for (const std::string& segment :
         base::split(base::replace_all(root.package, "::", "\n"), '\n')) {
      if (!is_node_name(segment)) {
        diagnostics_.error(codes::ERR_BAD_ATTR_VALUE,
                           "package '" + root.package +
                               "': each segment starts with a letter or '_' and holds letters, "
                               "digits and '_'",
                           place(*package, pointer + "/package"));
        break;
      }
    }
  }
  lower_body(body, pointer, root);
  for (TreeNode& child : root.children) {
    child.is_overlay = child.is_overlay || root.is_overlay;
    out.push_back(std::move(child));
  }
}

void Lowering::lower_body(const Node& body, const std::string& pointer, TreeNode& node) {
  for (const Entry& entry : body.entries) {
    const std::string& key = entry.key.text;
    const std::string at = pointer + "/" + escape_pointer(key);
    if (is_structural(key)) {
      structural(entry, at, node);
    } else if (!key.empty() && key.front() == '@' && is_structural(key.substr(1))) {
      diagnostics_.error(codes::ERR_RESERVED_ATTR,
                         "'" + key + "' is a structural key and is written without '@'",
                         place(entry.key, at));
    } else {
      attribute(entry, at, node);
    }
  }
}

void Lowering::structural(const Entry& entry, const std::string& pointer, TreeNode& node) {
  const std::string& key = entry.key.text;
  if (key == "children") {
    lower_children(entry.value, pointer, node);
  } else if (key == "name") {
    if (node.type != "metadata") {
      node.name = string_of(entry.value, pointer, key);
      if (!node.name.empty() || entry.value.is_string()) {
        check_name(entry.value, pointer, node.kind());
      }
    }
  } else if (key == "package") {
    if (node.type != "metadata") {
      node.package = string_of(entry.value, pointer, key);
    }
  } else if (key == "extends") {
    const std::string text = string_of(entry.value, pointer, key);
    const auto expanded = expand_reference(text, node.package, document_.format);
    if (!expanded) {
      diagnostics_.error(codes::ERR_RELATIVE_REF_IN_CANONICAL,
                         "'" + text + "': a relative reference is legal in YAML only",
                         place(entry.value, pointer));
    }
    if (!expanded) {
      node.refused.emplace_back("extends");
    }
    node.extends = expanded.value_or("");
    node.extends_place = place(entry.value, pointer);
  } else if (key == "abstract") {
    node.is_abstract = boolean_of(entry.value, pointer, key).value_or(false);
  } else if (key == "overlay") {
    node.is_overlay = boolean_of(entry.value, pointer, key).value_or(false);
  } else if (key == "isArray") {
    node.is_array = boolean_of(entry.value, pointer, key);
  }
}

void Lowering::check_name(const Node& value, const std::string& pointer, std::string_view what) {
  if (value.is_string() && !is_node_name(value.text) && !(yaml_ && is_ambiguous_text(value))) {
    diagnostics_.error(codes::ERR_BAD_ATTR_VALUE,
                       std::string(what) + " name '" + value.text +
                           "': a name starts with a letter or '_' and holds letters, digits and "
                           "'_'",
                       place(value, pointer));
  }
}

std::string Lowering::string_of(const Node& value, const std::string& pointer,
                                std::string_view key) {
  // x and y are ordinary names of fields; as a value (a default, a member) y stays ambiguous.
  const bool is_letter_name = key == "name" && value.text.size() == 1;
  if (!value.is_string() || (yaml_ && !is_letter_name && is_ambiguous_text(value))) {
    diagnostics_.error(bad_value(), describe_mismatch(value, key, "a string"),
                       place(value, pointer), yaml_ && value.is_scalar() ? "quote it" : "");
    return value.is_scalar() ? value.text : std::string();
  }
  return value.text;
}

std::optional<bool> Lowering::boolean_of(const Node& value, const std::string& pointer,
                                         std::string_view key) {
  const auto boolean = value.as_boolean();
  if (!boolean) {
    diagnostics_.error(bad_value(), describe_mismatch(value, key, "true or false"),
                       place(value, pointer));
  }
  return boolean;
}

void Lowering::attribute(const Entry& entry, const std::string& pointer, TreeNode& node) {
  const std::string& key = entry.key.text;
  const bool sigil = !key.empty() && key.front() == '@';
  const std::string name = sigil ? key.substr(1) : key;
  if (is_free_form(node.type) || is_foreign_family(node.type)) {
    return;
  }
  if (!yaml_ && !sigil) {
    diagnostics_.error(codes::ERR_UNKNOWN_ATTR,
                       "'" + key + "' is neither a structural key nor an attribute",
                       place(entry.key, pointer), "attributes are written '@" + key + "' in JSON");
    return;
  }
  const std::vector<AttributeRule>& rules = attributes_of(node.type, node.subtype);
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const AttributeRule& each) { return each.name == name; });
  if (rule == rules.end()) {
    return unknown_attribute(name, entry, pointer, node);
  }
  if (check_value(*rule, entry.value, document_, pointer, diagnostics_)) {
    node.attributes.push_back({name, &entry.key, &entry.value, &document_});
  } else {
    node.refused.push_back(name);
  }
}

void Lowering::unknown_attribute(const std::string& name, const Entry& entry,
                                 const std::string& pointer, const TreeNode& node) {
  std::vector<std::string> known;
  for (const AttributeRule& rule : attributes_of(node.type, node.subtype)) {
    known.emplace_back(rule.name);
  }
  const std::string message =
      node.kind() + " has no attribute '@" + name + "'" + base::did_you_mean(name, known);
  const std::string hint =
      node.kind() == "index.lookup" && name == "unique" ? "use identity.secondary" : "";
  Diagnostic& diagnostic =
      settings_.strict
          ? diagnostics_.error(codes::ERR_UNKNOWN_ATTR, message, place(entry.key, pointer), hint)
          : diagnostics_.warning(codes::ERR_UNKNOWN_ATTR, message, place(entry.key, pointer), hint);
  if (const auto nearest = base::nearest_name(name, known)) {
    diagnostic.suggestions.push_back(*nearest);
  }
}

void Lowering::lower_children(const Node& list, const std::string& pointer, TreeNode& parent) {
  if (list.kind == document::Kind::Null) {
    return;
  }
  if (!list.is_sequence()) {
    diagnostics_.error(codes::ERR_BAD_ATTR_VALUE, "'children' is a list", place(list, pointer));
    return;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    auto child = lower_child(list.items[i], pointer + "/" + std::to_string(i), parent);
    if (!child) {
      continue;
    }
    if (parent.type == "metadata") {
      parent.children.push_back(std::move(*child));  // top-level nodes merge over all files
    } else {
      merge_child(parent, std::move(*child), MergeMode::SameDeclaration, diagnostics_);
    }
  }
}

std::optional<TreeNode> Lowering::lower_child(const Node& item, const std::string& pointer,
                                              const TreeNode& parent) {
  if (!item.is_mapping() || item.entries.size() != 1) {
    diagnostics_.error(codes::ERR_UNKNOWN_TYPE,
                       "a node is an object with exactly one key \"<type>.<subtype>\"",
                       place(item, pointer));
    return std::nullopt;
  }
  const Entry& entry = item.entries.front();
  return lower_node(entry, pointer + "/" + escape_pointer(entry.key.text), parent);
}

bool Lowering::resolve_kind(NodeKey& key, const Entry& entry, const std::string& pointer,
                            std::string_view parent_type) {
  const TypeRule* rule = find_type(key.type);
  if (rule == nullptr) {
    if (is_foreign_family(key.type) && !settings_.strict_nodes) {
      if (families_.insert(key.type).second) {
        diagnostics_.warning(codes::WARN_NODE_IGNORED,
                             "nodes of the family '" + key.type + "' are kept and not used",
                             place(entry.key, pointer));
      }
      return false;
    }
    const std::vector<std::string> known = type_names();
    Diagnostic& diagnostic = diagnostics_.error(
        codes::ERR_UNKNOWN_TYPE,
        "there is no node type '" + key.type + "'" + base::did_you_mean(key.type, known),
        place(entry.key, pointer));
    if (const auto nearest = base::nearest_name(key.type, known)) {
      diagnostic.suggestions.push_back(*nearest);
    }
    return false;
  }
  if (key.subtype.empty() && !rule->default_subtype.empty()) {
    key.subtype = std::string(rule->default_subtype);
  }
  if (!has_subtype(*rule, key.subtype)) {
    const std::vector<std::string> known = split_words(rule->subtypes);
    Diagnostic& diagnostic = diagnostics_.error(
        codes::ERR_UNKNOWN_SUBTYPE,
        key.type + " has no subtype '" + key.subtype + "'" + base::did_you_mean(key.subtype, known),
        place(entry.key, pointer), "legal: " + base::join(known, ", "));
    if (const auto nearest = base::nearest_name(key.subtype, known)) {
      diagnostic.suggestions.push_back(*nearest);
    }
    return false;
  }
  const bool object_rule =
      key.type == "validator" && (key.subtype == "comparison" || key.subtype == "requiredWhen" ||
                                  key.subtype == "presentIff" || key.subtype == "atLeastOne");
  if (!may_hold(parent_type, key.type) || (key.type == "validator" && key.subtype != "base" &&
                                           object_rule != (parent_type == "object"))) {
    diagnostics_.error(codes::ERR_CHILD_NOT_ALLOWED,
                       std::string(parent_type) + " cannot hold " + key.type + "." + key.subtype,
                       place(entry.key, pointer));
    return false;
  }
  return true;
}

std::optional<TreeNode> Lowering::lower_node(const Entry& entry, const std::string& pointer,
                                             const TreeNode& parent) {
  NodeKey key = split_key(entry.key.text);
  if (!resolve_kind(key, entry, pointer, parent.type)) {
    return std::nullopt;
  }
  TreeNode node;
  node.type = key.type;
  node.subtype = key.subtype;
  node.package = parent.package;
  node.document = &document_;
  node.place = place(entry.key, pointer);
  if (key.is_array) {
    node.is_array = true;
  }
  if (node.kind() == "template.base") {
    diagnostics_.error(codes::ERR_ABSTRACT_SUBTYPE_AUTHORED,
                       "template.base is a registry anchor and cannot be written", node.place,
                       "write template.prompt, template.output or template.toolcall");
    return std::nullopt;
  }
  const Node& body = entry.value;
  if (body.is_mapping()) {
    if (parent.type == "metadata") {  // the owner of its children is known before they are read
      if (const Node* package = body.find("package")) {
        node.package = package->text;
      }
      if (const Node* name = body.find("name")) {
        node.owner = qualified_name(node.package, name->text);
      }
    } else {
      node.owner = parent.owner;
    }
    lower_body(body, pointer, node);
  } else if (yaml_ && body.kind != document::Kind::Null && body.is_scalar()) {
    node.name = string_of(body, pointer, "name");
    check_name(body, pointer, node.kind());
    node.owner = parent.type == "metadata" ? qualified_name(node.package, node.name) : parent.owner;
  } else if (body.kind != document::Kind::Null || !yaml_) {
    diagnostics_.error(codes::ERR_BAD_ATTR_VALUE, "the body of " + node.kind() + " is an object",
                       place(body, pointer));
    return std::nullopt;
  } else {
    node.owner = parent.owner;
  }
  return node;
}

}  // namespace

bool is_node_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_ambiguous_text(const document::Node& node) {
  if (!node.is_string() || !node.is_plain()) {
    return false;
  }
  const std::string lower = base::to_lower(node.text);
  // A capital letter alone is common as an enum member and no reader takes it for a boolean.
  if (lower == "yes" || lower == "no" || lower == "on" || lower == "off" || node.text == "y" ||
      node.text == "n") {
    return true;
  }
  const auto digit = [&](std::size_t at) {
    return std::isdigit(static_cast<unsigned char>(lower[at])) != 0;
  };
  return lower.size() == 10 && lower[4] == '-' && lower[7] == '-' && digit(0) && digit(1) &&
         digit(2) && digit(3) && digit(5) && digit(6) && digit(8) && digit(9);
}

std::optional<std::string> expand_reference(const std::string& text, const std::string& package,
                                            document::Format format) {
  if (text.rfind("::", 0) != 0 && text.rfind("..::", 0) != 0) {
    return text;
  }
  if (format == document::Format::Json) {
    return std::nullopt;
  }
  std::string base_package = package;
  std::string rest = text;
  while (rest.rfind("..::", 0) == 0) {
    base_package = package_of(base_package);
    rest = rest.substr(4);
  }
  if (rest.rfind("::", 0) == 0) {
    rest = rest.substr(2);
  }
  return qualified_name(base_package, rest);
}

void lower_document(const document::Document& document, const Settings& settings,
                    Diagnostics& diagnostics, std::set<std::string>& families,
                    std::vector<TreeNode>& out) {
  Lowering(document, settings, diagnostics, families).run(out);
}

}  // namespace kedge::metadata
