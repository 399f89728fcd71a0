#include "base/text.h"
#include "metadata/build.h"
#include "metadata/lower.h"
#include "metadata/registry.h"
#include "sql/analysis.h"

namespace kedge::metadata {

using document::Node;

const Node* Attributes::value(std::string_view name) const {
  const Attribute* attribute = node_.find(name);
  return attribute == nullptr ? nullptr : attribute->value;
}

std::string Attributes::text(std::string_view name, std::string fallback) const {
  const Node* node = value(name);
  return node == nullptr ? std::move(fallback) : node->text;
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  const Node* node = value(name);
  std::vector<std::string> out;
  if (node == nullptr) {
    return out;
  }
  if (node->is_scalar()) {
    return {node->text};
  }
  for (const Node& item : node->items) {
    out.push_back(item.text);
  }
  return out;
}

std::optional<std::int64_t> Attributes::integer(std::string_view name) const {
  const Node* node = value(name);
  return node == nullptr ? std::nullopt : node->as_integer();
}

std::optional<bool> Attributes::boolean(std::string_view name) const {
  const Node* node = value(name);
  return node == nullptr ? std::nullopt : node->as_boolean();
}

Place Attributes::place(std::string_view name) const {
  const Attribute* attribute = node_.find(name);
  return attribute == nullptr ? node_.place : node_.place_of(*attribute);
}

std::string Attributes::expand(const std::string& text, const Place& where) const {
  const auto expanded = expand_reference(text, node_.package, node_.document->format);
  if (!expanded) {
    context_.diagnostics.error(codes::ERR_RELATIVE_REF_IN_CANONICAL,
                               "'" + text + "': a relative reference is legal in YAML only", where);
  }
  return expanded.value_or("");
}

std::string Attributes::reference(std::string_view name) const {
  const Node* node = value(name);
  return node == nullptr ? std::string() : expand(node->text, place(name));
}

std::string Attributes::object(std::string_view name, Code code) const {
  const std::string text = reference(name);
  if (text.empty()) {
    return {};
  }
  if (const TreeNode* found = context_.index.resolve("object", text, node_.package)) {
    return qualified_name(found->package, found->name);
  }
  Diagnostic& diagnostic = context_.diagnostics.error(
      code,
      "'@" + std::string(name) + "' names '" + text + "', which does not exist" +
          base::did_you_mean(text, context_.index.names("object")),
      place(name));
  if (const auto nearest = base::nearest_name(text, context_.index.names("object"))) {
    diagnostic.suggestions.push_back(*nearest);
  }
  return {};
}

MemberRef Attributes::member(std::string_view name, Code code) const {
  const std::string text = reference(name);
  if (text.empty()) {
    return {};
  }
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos) {
    context_.diagnostics.error(
        code, "'@" + std::string(name) + "' is written Entity.field, not '" + text + "'",
        place(name));
    return {};
  }
  if (const TreeNode* found =
          context_.index.resolve("object", text.substr(0, dot), node_.package)) {
    return {qualified_name(found->package, found->name), text.substr(dot + 1)};
  }
  context_.diagnostics.error(
      code,
      "'@" + std::string(name) + "' names '" + text.substr(0, dot) + "', which does not exist" +
          base::did_you_mean(text.substr(0, dot), context_.index.names("object")),
      place(name));
  return {};
}

void Attributes::check_required() const {
  for (const AttributeRule& rule : attributes_of(node_.type, node_.subtype)) {
    if (rule.required && node_.find(rule.name) == nullptr && !node_.has_refused(rule.name)) {
      context_.diagnostics.error(codes::ERR_MISSING_REQUIRED_ATTR,
                                 node_.kind() +
                                     (node_.name.empty() ? "" : " '" + node_.name + "'") +
                                     " needs '@" + std::string(rule.name) + "'",
                                 node_.place);
    }
  }
}

Documentation build_documentation(const Attributes& attributes) {
  Documentation out;
  out.description = attributes.text("description");
  out.summary = attributes.text("summary");
  out.title = attributes.text("title");
  out.notes = attributes.text("notes");
  out.deprecated = attributes.text("deprecated");
  out.replaced_by = attributes.text("replacedBy");
  out.see_also = attributes.texts("seeAlso");
  out.aliases = attributes.texts("aliases");
  return out;
}

Scalar to_scalar(const Node& node) {
  if (const auto boolean = node.as_boolean()) {
    return *boolean;
  }
  if (const auto integer = node.as_integer()) {
    return *integer;
  }
  if (node.kind == document::Kind::Float) {
    return node.text;  // as written: 1.25 stays 1.25
  }
  if (node.kind == document::Kind::Null) {
    return std::monostate{};
  }
  return node.text;
}

std::optional<Action> to_action(const std::string& text) {
  if (text == "cascade") {
    return Action::Cascade;
  }
  if (text == "set-null") {
    return Action::SetNull;
  }
  if (text == "restrict") {
    return Action::Restrict;
  }
  if (text == "no-action") {
    return Action::NoAction;
  }
  return std::nullopt;
}

std::string sql_part_problem(std::string_view text, SqlPart part, schema::Dialect dialect) {
  int open = 0;
  bool ended = false;
  bool in_comment = false;  // what follows the text would be part of its last comment
  for (const sql::Token& token : sql::tokenize(text, dialect)) {
    if (token.kind == sql::TokenKind::End) {
      break;
    }
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    const bool block = word.starts_with("/*");
    const bool comment = token.kind == sql::TokenKind::Comment;
    in_comment = comment ? !block : block && token.kind == sql::TokenKind::Error;
    if (comment) {
      continue;
    }
    if (ended || (word == ";" && part == SqlPart::Expression)) {
      return "holds more than one statement";
    }
    ended = word == ";";
    if (token.kind == sql::TokenKind::Operator) {
      open += word == "(" ? 1 : word == ")" ? -1 : 0;
    }
    if (open < 0) {
      return "closes a parenthesis that it did not open";
    }
  }
  if (open > 0) {
    return "opens a parenthesis that it does not close";
  }
  return in_comment && part == SqlPart::Expression ? "ends in a comment" : std::string();
}

}  // namespace kedge::metadata
