#include "metadata/registry.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace kedge::metadata {
namespace {

using K = AttributeKind;

constexpr std::string_view kFieldSubtypes =
    "string int long float double decimal boolean date time timestamp currency uuid enum object "
    "map uri inet bytes";

constexpr TypeRule kTypes[] = {
    {"metadata", "root", "root", "object field template view layout attr"},
    {"object", "entity value projection report", "entity",
     "field identity index relationship source validator view layout attr dimension measure "
     "segment"},
    {"field", kFieldSubtypes, "string", "origin validator view layout attr"},
    {"identity", "primary secondary reference", {}, "attr"},
    {"index", "lookup", {}, "attr"},
    {"relationship", "composition aggregation association", {}, "attr"},
    {"source", "rdb", {}, "attr"},
    {"origin", "passthrough aggregate computed first", {}, "attr"},
    {"validator",
     "required numeric length regex comparison requiredWhen presentIff atLeastOne array base",
     {},
     "attr"},
    {"template", "prompt output toolcall base", {}, "attr view layout"},
    {"view", "*", "base", "*"},
    {"layout", "*", "base", "*"},
    {"attr", "*", "properties", "*"},
    {"dimension", "*", "base", "*"},
    {"measure", "*", "base", "*"},
    {"segment", "filter", "filter", "attr"},
};

constexpr std::string_view kForeign[] = {"requirement", "operation", "event", "policy", "service"};

constexpr std::string_view kActions = "cascade set-null restrict no-action";
constexpr std::string_view kComparisons = "eq ne gt gte lt lte";
constexpr std::string_view kKeyed = "identity.primary identity.secondary index.lookup";
constexpr std::string_view kTexts = "template.prompt template.output";

constexpr AttributeRule kAttributes[] = {
    {"*", "description", K::String},
    {"*", "summary", K::String},
    {"*", "title", K::String},
    {"*", "notes", K::String},
    {"*", "deprecated", K::AnyScalar},
    {"*", "replacedBy", K::String},
    {"*", "seeAlso", K::Strings},
    {"*", "aliases", K::Strings},

    {"object.entity", "discriminator", K::String},
    {"object.entity", "discriminatorValue", K::AnyScalar},
    {"object.entity", "formerName", K::Strings},
    {"object.projection", "formerName", K::Strings},
    {"object.projection object.entity", "filter", K::Filter},
    {"object.report", "from", K::Reference},
    {"object.report", "dimensions", K::Strings},
    {"object.report", "measures", K::Strings},
    {"object.report", "segment", K::String},
    {"object.report", "filter", K::Filter},

    {"field", "required", K::Boolean},
    {"field", "default", K::Default},
    {"field", "unique", K::Boolean},
    {"field", "column", K::String},
    {"field.string", "maxLength", K::Integer},
    {"field.date field.time field.timestamp", "autoSet", K::String, "onCreate onUpdate"},
    {"field", "formerName", K::Strings},
    {"field", "readOnly", K::Boolean},
    {"field", "mutability", K::String, "readWrite readOnly writeOnce"},
    {"field", "filterable", K::Boolean},
    {"field", "sortable", K::Boolean},
    {"field", "db.indexed", K::Boolean},
    {"field", "stringFormat", K::String},
    {"field", "locale", K::String},
    {"field.currency", "currency", K::String},
    {"field", "storage", K::String, "flattened jsonb subdocument"},
    {"field.object field.map", "objectRef", K::Reference},
    {"field.map", "valueType", K::String,
     "string int long double float decimal boolean date time timestamp uuid"},
    {"field.enum", "values", K::Strings},
    {"field.enum", "intValueMap", K::IntegerMap},
    {"field.decimal", "precision", K::Integer},
    {"field.decimal", "scale", K::Integer},
    {"field.timestamp", "localTime", K::Boolean},
    {"field", "leave", K::Boolean},
    {"field.inet", "lenient", K::Boolean},
    {"field", "dbColumnType", K::String},
    {"field", "dbType", K::StringMap},

    {kKeyed, "fields", K::Strings},
    {"identity.primary", "generation", K::String, "increment uuid assigned"},
    {"identity.secondary index.lookup", "expr", K::String},
    {"identity.secondary index.lookup", "orders", K::Strings, "asc desc"},
    {"identity.secondary index.lookup", "where", K::String},
    {"identity.secondary index.lookup", "using", K::String},
    {"identity.secondary index.lookup", "include", K::Strings},
    {"identity.secondary index.lookup", "nullsNotDistinct", K::Boolean},
    {"identity.secondary", "unique", K::Boolean},
    {"identity.reference", "fields", K::Strings, {}, true},
    {"identity.reference", "references", K::Reference, {}, true},
    {"identity.reference", "enforce", K::Boolean},
    {"identity.reference", "constraintName", K::String},
    {"identity.reference", "onDelete", K::String, kActions},
    {"identity.reference", "onUpdate", K::String, kActions},
    {"identity.reference", "deferrable", K::Boolean},
    {"identity.reference", "initiallyDeferred", K::Boolean},

    {"relationship", "objectRef", K::Reference, {}, true},
    {"relationship", "cardinality", K::String, "one many"},
    {"relationship", "onDelete", K::String, kActions},
    {"relationship", "onUpdate", K::String, kActions},
    {"relationship", "through", K::Reference},
    {"relationship", "sourceRefField", K::String},
    {"relationship", "symmetric", K::Boolean},

    {"source", "kind", K::String, "table view materializedView storedProc tableFunction"},
    {"source", "table", K::String},
    {"source", "view", K::String},
    {"source", "materializedView", K::String},
    {"source", "proc", K::String},
    {"source", "function", K::String},
    {"source", "schema", K::String},
    {"source", "role", K::String, "primary replica"},
    {"source", "sql", K::String},
    {"source", "unmanaged", K::Boolean},
    {"source", "dependsOn", K::Strings},
    {"source", "leave", K::Strings},
    {"source", "parameterRef", K::Reference},

    {"origin.passthrough", "from", K::Reference, {}, true},
    {"origin.passthrough", "convert", K::Boolean},
    {"origin.passthrough origin.aggregate origin.first", "via", K::Reference},
    {"origin.aggregate", "agg", K::String, "count sum avg min max any all collect", true},
    {"origin.aggregate", "of", K::Reference},
    {"origin.aggregate", "distinct", K::Boolean},
    {"origin.first", "of", K::Reference, {}, true},
    {"origin.first", "orderBy", K::Strings, {}, true},
    {"origin.aggregate", "orderBy", K::Strings},
    {"origin.aggregate origin.first", "filter", K::Filter},
    {"origin.computed", "expr", K::Expression, {}, true},

    {"validator", "enforce", K::Boolean},
    {"validator.numeric", "min", K::Number},
    {"validator.numeric", "max", K::Number},
    {"validator.length validator.array", "min", K::Integer},
    {"validator.length validator.array", "max", K::Integer},
    {"validator.regex", "pattern", K::String, {}, true},
    {"validator.comparison", "left", K::String, {}, true},
    {"validator.comparison", "op", K::String, kComparisons, true},
    {"validator.comparison", "right", K::String, {}, true},
    {"validator.requiredWhen validator.presentIff", "field", K::String, {}, true},
    {"validator.requiredWhen validator.presentIff", "when", K::String, {}, true},
    {"validator.requiredWhen validator.presentIff", "equals", K::AnyScalar, {}, true},
    {"validator.atLeastOne", "fields", K::Strings, {}, true},

    {"template", "payloadRef", K::Reference, {}, true},
    {"template", "owner", K::String},
    {"template", "since", K::String},
    {kTexts, "textRef", K::String},
    {kTexts, "format", K::String, "text html xml csv json markdown spreadsheet"},
    {kTexts, "maxChars", K::Integer},
    {kTexts, "requiredTags", K::Strings},
    {kTexts, "requiredSlots", K::Strings},
    {"template.prompt template.toolcall", "maxTokens", K::Integer},
    {"template.prompt", "model", K::String},
    {kTexts, "responseRef", K::Reference},
    {kTexts, "responseFormat", K::String, "json xml"},
    {kTexts, "promptStyle", K::String, "guide inline exampleOnly"},
    {"template.output", "kind", K::String, "document email"},
    {"template.output", "subjectRef", K::String},
    {"template.output", "htmlBodyRef", K::String},
    {"template.output", "textBodyRef", K::String},
    {"template.toolcall", "toolName", K::String, {}, true},
    {"segment", "filter", K::Filter, {}, true},
};

bool has_word(std::string_view words, std::string_view word) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

bool applies(const AttributeRule& rule, std::string_view type, const std::string& kind) {
  return rule.owners == "*" || has_word(rule.owners, type) || has_word(rule.owners, kind);
}

}  // namespace

std::vector<std::string> split_words(std::string_view words) {
  std::vector<std::string> out = base::split(words, ' ');
  out.erase(std::remove(out.begin(), out.end(), std::string()), out.end());
  return out;
}

const TypeRule* find_type(std::string_view type) {
  for (const TypeRule& rule : kTypes) {
    if (rule.type == type) {
      return &rule;
    }
  }
  return nullptr;
}

bool has_subtype(const TypeRule& type, std::string_view subtype) {
  return type.subtypes == "*" || has_word(type.subtypes, subtype);
}

bool may_hold(std::string_view parent, std::string_view child) {
  const TypeRule* rule = find_type(parent);
  return rule == nullptr || rule->children == "*" || has_word(rule->children, child);
}

bool is_foreign_family(std::string_view type) {
  return std::find(std::begin(kForeign), std::end(kForeign), type) != std::end(kForeign);
}

bool is_free_form(std::string_view type) {
  return type == "view" || type == "layout" || type == "attr" || type == "dimension" ||
         type == "measure";
}

const std::vector<AttributeRule>& attributes_of(std::string_view type, std::string_view subtype) {
  static const auto* const table = [] {
    auto* made = new std::map<std::string, std::vector<AttributeRule>, std::less<>>();
    for (const TypeRule& rule : kTypes) {
      for (const std::string& each : split_words(rule.subtypes)) {
        const std::string kind = std::string(rule.type) + "." + each;
        for (const AttributeRule& attribute : kAttributes) {
          if (applies(attribute, rule.type, kind)) {
            (*made)[kind].push_back(attribute);
          }
        }
      }
    }
    return made;
  }();
  static const std::vector<AttributeRule> none;
  const auto found = table->find(std::string(type) + "." + std::string(subtype));
  return found == table->end() ? none : found->second;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const TypeRule& rule : kTypes) {
    names.emplace_back(rule.type);
  }
  return names;
}

}  // namespace kedge::metadata
