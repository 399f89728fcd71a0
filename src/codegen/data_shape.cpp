// The published shape of the data (spec/codegen.md 3.2) in a compact notation, one type a line:
// `key` is text, `key?` a boolean, `key#` a number, `key:type` an object, `key[type]` a list,
// `key*` an open container.
#include <map>

#include "base/text.h"
#include "codegen/data.h"

namespace kedge::codegen {
namespace {

constexpr std::string_view kNamed =
    "name Name nameCamel nameSnake nameUpper nameKebab first? last? index#";

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"model",
     "packages[package] objects[object] entities[object] tables[object] enums[enum] "
     "templates[template] options* target version"},
    {"package",
     "package packagePath packageDots up entities[object] objects[object] tables[object] "
     "enums[enum] "
     "templates[template] options* target"},
    {"object",
     "package packagePath packageDots fqn typeName kind isEntity? isProjection? isValue? segment "
     "description comment commentXml "
     "up "
     "fields[field] settable[field] creatable[field] stored[field] table:table "
     "identities[identity] "
     "relationships[relationship] references[reference] indexes[lookup] enums[enum] "
     "enumImports[enumImport] "
     "imports[import] "
     "source:source options* target schemaJson"},
    {"source", "file line#"},
    {"field",
     "type isString? isInt? isLong? isFloat? isDouble? isDecimal? isBoolean? isDate? isTime? "
     "isTimestamp? isCurrency? isUuid? isEnum? isObject? isMap? isUri? isInet? isBytes? required? "
     "isArray? nullable? isKey? generated? localTime? filterable? sortable? derived? defaulted? "
     "isRecursive? mutability column columnLiteral member comment commentXml lang langBase "
     "langElement sqlType jsonSchema maxLength# "
     "precision# scale# default currency autoSet description enumValues[text] enumName objectRef "
     "objectType"},
    {"text", ""},
    {"table",
     "schema nameLiteral schemaLiteral qualified qualifiedLiteral isView? readOnly? isShared? "
     "columns[column] subtypes[target]"},
    {"column",
     "column columnLiteral field fieldName fieldUpper type sqlType nullable? defaulted? "
     "keyPosition# isKey? "
     "maxLength# "
     "values[value] default"},
    {"value", "value"},
    {"identity", "kind isPrimary? fields[member] columns[member] generation"},
    {"member", "column"},
    {"relationship", "cardinality many? targetRef target:target"},
    {"reference", "fields[member] target:target"},
    {"target", "package fqn typeName"},
    {"lookup", "fields[member]"},
    {"enum", "typeName package packagePath packageDots values[value]"},
    {"enumImport", "package packagePath packageDots samePackage? relative dotted enums[enum]"},
    {"import",
     "package packagePath packageDots fqn typeName samePackage? relative dotted isRecursive?"},
    {"template",
     "package packagePath packageDots fqn subtype payload payloadType response toolName owner "
     "since "
     "description comment commentXml "
     "format schemaJson parts[part] options* target"},
    {"part", "ref"},
};

templates::PayloadField field_of(std::string word,
                                 const std::map<std::string, std::size_t>& index) {
  templates::PayloadField field;
  field.shape = templates::FieldShape::Text;
  const char last = word.back();
  if (last == '?' || last == '#' || last == '*') {
    field.shape = last == '?'   ? templates::FieldShape::Boolean
                  : last == '#' ? templates::FieldShape::Number
                                : templates::FieldShape::Map;
    word.pop_back();
  }
  const std::size_t mark = word.find_first_of(":[");
  if (mark != std::string::npos) {
    const bool list = word[mark] == '[';
    const std::string type = word.substr(mark + 1, word.size() - mark - (list ? 2 : 1));
    field.is_list = list;
    if (type != "text") {
      field.shape = templates::FieldShape::Object;
      field.object = index.at(type);
    }
    word.resize(mark);
  }
  field.name = word;
  return field;
}

templates::PayloadType make_shape(std::string_view root) {
  templates::PayloadType type;
  std::map<std::string, std::size_t> index;
  for (const auto& [name, fields] : kTypes) {
    index.emplace(name, type.objects.size());
    type.objects.push_back({std::string(name), {}});
  }
  for (const auto& [name, fields] : kTypes) {
    templates::PayloadObject& object = type.objects[index.at(std::string(name))];
    for (const std::string_view words : {kNamed, fields}) {
      for (const std::string& word : base::split(words, ' ')) {
        if (!word.empty()) {
          object.fields.push_back(field_of(word, index));
        }
      }
    }
  }
  type.root = index.at(std::string(root));
  return type;
}

}  // namespace

const templates::PayloadType& data_shape(Scope scope) {
  static const templates::PayloadType object = make_shape("object");
  static const templates::PayloadType package = make_shape("package");
  static const templates::PayloadType model = make_shape("model");
  static const templates::PayloadType of_template = make_shape("template");
  switch (scope) {
    case Scope::Object:
      return object;
    case Scope::Package:
      return package;
    case Scope::Model:
      return model;
    case Scope::Template:
      break;
  }
  return of_template;
}

}  // namespace kedge::codegen
