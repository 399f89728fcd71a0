#include "metadata/tree.h"

#include <algorithm>

namespace kedge::metadata {

const Attribute* TreeNode::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& each) { return each.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

bool TreeNode::has_refused(std::string_view attribute) const {
  return std::find(refused.begin(), refused.end(), attribute) != refused.end();
}

Place TreeNode::place_of(const Attribute& attribute) const {
  Place at;
  at.where = attribute.document->position(*attribute.key);
  at.pointer = place.pointer + "/" + escape_pointer(attribute.key->text);
  return at;
}

std::string qualified_name(const std::string& package, const std::string& name) {
  return package.empty() ? name : package + "::" + name;
}

std::string package_of(std::string_view qualified) {
  const std::size_t at = qualified.rfind("::");
  return at == std::string_view::npos ? std::string() : std::string(qualified.substr(0, at));
}

bool same_value(const document::Node& a, const document::Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
      a.entries.size() != b.entries.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same_value(a.items[i], b.items[i])) {
      return false;
    }
  }
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key.text != b.entries[i].key.text ||
        !same_value(a.entries[i].value, b.entries[i].value)) {
      return false;
    }
  }
  return true;
}

std::string escape_pointer(std::string_view token) {
  std::string out;
  for (const char c : token) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

}  // namespace kedge::metadata
