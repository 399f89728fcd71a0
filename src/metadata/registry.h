// What may be written: node types, their subtypes, children and attributes, as one table
// (spec/metadata.md 1-7, spec/templates.md 2.2). Data only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kedge::metadata {

enum class AttributeKind {
  String,
  Reference,  // a string that names another node
  Strings,    // an array of strings, or one
  Integer,
  Number,
  Boolean,
  AnyScalar,
  Default,  // the field's own type, or {sql: ...}
  Filter,
  Expression,
  StringMap,   // object of strings
  IntegerMap,  // object of integers
  Any
};

struct AttributeRule {
  std::string_view owners;  // "field", "field.enum field.string": types or type.subtype, by blanks
  std::string_view name;
  AttributeKind kind;
  std::string_view choices = {};  // closed set, by blanks
  bool required = false;
};

struct TypeRule {
  std::string_view type;
  std::string_view subtypes;  // by blanks; "*" = any
  std::string_view default_subtype = {};
  std::string_view children = {};  // by blanks; "*" = any
};

const TypeRule* find_type(std::string_view type);
bool has_subtype(const TypeRule& type, std::string_view subtype);
bool may_hold(std::string_view parent, std::string_view child);
// Families of other tools that are kept and not used (spec 1.7).
bool is_foreign_family(std::string_view type);
// Nodes whose attributes are not kedge's business: view, layout, attr.
bool is_free_form(std::string_view type);
const std::vector<AttributeRule>& attributes_of(std::string_view type, std::string_view subtype);
std::vector<std::string> split_words(std::string_view words);
std::vector<std::string> type_names();

}  // namespace kedge::metadata
