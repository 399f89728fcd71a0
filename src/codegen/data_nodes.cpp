// Small makers of the nodes that the data of packs is built of.
#include "base/text.h"
#include "codegen/data.h"

namespace kedge::codegen {

using document::Kind;
using document::Node;

namespace {

// A text that ends no comment and no line of one, in any of the languages.
std::string comment_text(const std::string& description) {
  static const std::pair<std::string_view, std::string_view> kChanges[] = {
      {"\\", "\\\\"}, {"*/", "* /"},     {"/*", "/ *"},         {"\"\"\"", "'''"},    {"\n", " "},
      {"\r", " "},    {"\xC2\x85", " "}, {"\xE2\x80\xA8", " "}, {"\xE2\x80\xA9", " "}};
  std::string text = description;
  for (const auto& [from, to] : kChanges) {
    text = base::replace_all(std::move(text), from, to);
  }
  return text.ends_with('\\') || text.ends_with('"') ? text + "." : text;
}

std::string xml_text(std::string text) {
  text = base::replace_all(std::move(text), "&", "&amp;");
  text = base::replace_all(std::move(text), "<", "&lt;");
  return base::replace_all(std::move(text), ">", "&gt;");
}

}  // namespace

void add_description(Node& node, const std::string& description) {
  if (!description.empty()) {
    set_text(node, "description", base::replace_all(description, "\n", " "));
    set_text(node, "comment", comment_text(description));
    set_text(node, "commentXml", xml_text(comment_text(description)));
  }
}

void number(Node& list) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    set(list.items[i], "first", boolean_node(i == 0));
    set(list.items[i], "last", boolean_node(i + 1 == list.items.size()));
    set(list.items[i], "index", integer_node(static_cast<std::int64_t>(i)));
  }
}

Node text_node(std::string text) {
  Node node;
  node.kind = Kind::String;
  node.style = document::Style::DoubleQuoted;
  node.text = std::move(text);
  return node;
}
Node boolean_node(bool value) {
  Node node;
  node.kind = Kind::Boolean;
  node.text = value ? "true" : "false";
  return node;
}
Node integer_node(std::int64_t value) {
  Node node;
  node.kind = Kind::Integer;
  node.text = std::to_string(value);
  return node;
}
Node object_node() {
  Node node;
  node.kind = Kind::Mapping;
  return node;
}
Node list_node() {
  Node node;
  node.kind = Kind::Sequence;
  return node;
}
Node shared_node(const Node& node) {
  Node shared = object_node();
  shared.base = node.base != nullptr ? node.base : &node;
  return shared;
}
void set(Node& object, std::string_view key, Node value) {
  for (document::Entry& entry : object.entries) {
    if (entry.key.text == key) {
      entry.value = std::move(value);
      return;
    }
  }
  object.entries.push_back({text_node(std::string(key)), std::move(value)});
}
void set_text(Node& object, std::string_view key, std::string text) {
  set(object, key, text_node(std::move(text)));
}

}  // namespace kedge::codegen
