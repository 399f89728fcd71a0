#include "metadata/value_check.h"

#include <algorithm>

#include "base/text.h"
#include "metadata/lower.h"

namespace kedge::metadata {
namespace {

using document::Kind;
using document::Node;

std::string kind_words(const Node& value) {
  switch (value.kind) {
    case Kind::Null:
      return "nothing";
    case Kind::Boolean:
      return "the boolean " + value.text;
    case Kind::Integer:
    case Kind::Float:
      return "the number " + value.text;
    case Kind::String:
      return "the string '" + value.text + "'";
    case Kind::Sequence:
      return "a list";
    case Kind::Mapping:
      return "an object";
  }
  return {};
}

class Check {
 public:
  Check(const AttributeRule& rule, const document::Document& document, const std::string& pointer,
        Diagnostics& diagnostics)
      : rule_(rule), document_(document), pointer_(pointer), diagnostics_(diagnostics) {}

  bool run(const Node& value) {
    switch (rule_.kind) {
      case AttributeKind::String:
      case AttributeKind::Reference:
        return text(value) && member(value);
      case AttributeKind::Strings:
        return texts(value);
      case AttributeKind::Integer:
        return value.as_integer().has_value() || fail(value, "a whole number");
      case AttributeKind::Number:
        return value.as_number().has_value() || fail(value, "a number");
      case AttributeKind::Boolean:
        return value.as_boolean().has_value() || fail(value, "true or false");
      case AttributeKind::AnyScalar:
        return (value.is_scalar() && value.kind != Kind::Null) || fail(value, "one value");
      case AttributeKind::Default:
        return default_value(value);
      case AttributeKind::Filter:
        return value.is_mapping() || fail(value, "an object", codes::ERR_BAD_ATTR_FILTER);
      case AttributeKind::Expression:
        return value.is_mapping() || fail(value, "an object", codes::ERR_UNKNOWN_EXPR_NODE);
      case AttributeKind::StringMap:
        return map(
            value, [](const Node& each) { return each.is_string(); }, "strings");
      case AttributeKind::IntegerMap:
        return map(
            value, [](const Node& each) { return each.as_integer().has_value(); }, "whole numbers");
      case AttributeKind::Any:
        return true;
    }
    return false;
  }

 private:
  bool yaml() const { return document_.format == document::Format::Yaml; }

  bool fail(const Node& value, std::string_view wanted) {
    return fail(value, wanted,
                yaml() && value.is_scalar() ? codes::ERR_YAML_COERCION : codes::ERR_BAD_ATTR_VALUE);
  }
  bool fail(const Node& value, std::string_view wanted, Code code) {
    const bool quote = yaml() && value.is_plain() && wanted.find("string") != std::string::npos;
    diagnostics_.error(code, describe_mismatch(value, "@" + std::string(rule_.name), wanted),
                       {document_.position(value), pointer_}, quote ? "quote it" : "");
    return false;
  }
  bool text(const Node& value) {
    // A field may be called x, y or n (lower.cpp), and be named so.
    const bool is_letter_name = names_fields() && value.text.size() == 1;
    return (value.is_string() && !(yaml() && !is_letter_name && is_ambiguous_text(value))) ||
           fail(value, "a string");
  }
  bool names_fields() const {
    static constexpr std::string_view kNames[] = {"fields", "include", "orderBy", "left",
                                                  "right",  "field",   "when",    "discriminator"};
    return std::find(std::begin(kNames), std::end(kNames), rule_.name) != std::end(kNames);
  }
  bool member(const Node& value) {
    if (rule_.choices.empty()) {
      return true;
    }
    const std::vector<std::string> known = split_words(rule_.choices);
    if (std::find(known.begin(), known.end(), value.text) != known.end()) {
      return true;
    }
    if (rule_.name == "dbColumnType") {
      return true;
    }
    diagnostics_.error(codes::ERR_BAD_ATTR_VALUE,
                       "'@" + std::string(rule_.name) + "' cannot be '" + value.text + "'" +
                           base::did_you_mean(value.text, known),
                       {document_.position(value), pointer_}, "legal: " + base::join(known, ", "));
    return false;
  }
  bool texts(const Node& value) {
    if (value.is_scalar()) {
      return (text(value) && member(value));
    }
    if (!value.is_sequence()) {
      return fail(value, "a list of strings");
    }
    bool good = true;
    for (const Node& item : value.items) {
      good = text(item) && member(item) && good;
    }
    return good;
  }
  bool default_value(const Node& value) {
    if (value.is_mapping()) {
      const Node* sql = value.find("sql");
      return (sql != nullptr && value.entries.size() == 1 && sql->is_string()) ||
             fail(value, "a value or { \"sql\": \"...\" }");
    }
    return (value.is_scalar() && value.kind != Kind::Null) || fail(value, "a value");
  }
  template <class Predicate>
  bool map(const Node& value, Predicate good, std::string_view what) {
    if (!value.is_mapping() ||
        !std::all_of(value.entries.begin(), value.entries.end(),
                     [&](const document::Entry& entry) { return good(entry.value); })) {
      return fail(value, "an object of " + std::string(what), codes::ERR_BAD_ATTR_VALUE);
    }
    return true;
  }

  const AttributeRule& rule_;
  const document::Document& document_;
  const std::string& pointer_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string describe_mismatch(const document::Node& value, std::string_view key,
                              std::string_view wanted) {
  if (is_ambiguous_text(value)) {
    return "'" + std::string(key) + "' is " + std::string(wanted) + ", and other readers take " +
           value.text + " without quotes for another type";
  }
  return "'" + std::string(key) + "' is " + std::string(wanted) + ", not " + kind_words(value);
}

bool check_value(const AttributeRule& rule, const document::Node& value,
                 const document::Document& document, const std::string& pointer,
                 Diagnostics& diagnostics) {
  return Check(rule, document, pointer, diagnostics).run(value);
}

}  // namespace kedge::metadata
