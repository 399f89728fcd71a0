#include "codegen/data.h"

#include <algorithm>

#include "base/text.h"
#include "codegen/data_names.h"
#include "codegen/data_tables.h"
#include "codegen/json_schema.h"
#include "codegen/names.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using document::Node;
using metadata::Field;
using metadata::FieldType;
using metadata::Object;

std::string kind_name(const Object& object) {
  switch (object.kind) {
    case Object::Kind::Entity:
      return "entity";
    case Object::Kind::Value:
      return "value";
    case Object::Kind::Projection:
    case Object::Kind::Report:
      break;
  }
  return "projection";
}

std::string generation_name(metadata::Generation generation) {
  switch (generation) {
    case metadata::Generation::Increment:
      return "increment";
    case metadata::Generation::Uuid:
      return "uuid";
    case metadata::Generation::Assigned:
      return "assigned";
    case metadata::Generation::None:
      break;
  }
  return "";
}

class DataBuilder {
 public:
  DataBuilder(const metadata::Model& model, const Pack& pack, const TargetSettings& target)
      : model_(model),
        pack_(pack),
        target_(target),
        names_(model, pack, target),
        tables_(model, pack, target, names_) {}

  ModelData build() {
    Objects objects;
    for (const Object& object : model_.objects) {
      if (object.is_abstract || !is_in_scope(target_, object.qualified_name)) {
        continue;
      }
      data_.objects.push_back({&object, build_object(object)});
      objects[object.package].push_back(&data_.objects.back().node);
    }
    add_templates();
    add_packages(objects);
    data_.model = with_names(target_.project.empty() ? "model" : target_.project);
    Node packages = list_node();
    for (const PackageData& package : data_.packages) {
      packages.items.push_back(shared_node(package.node));
    }
    const auto all = [&](std::string_view key) {
      Node list = list_node();
      for (const Node& package : packages.items) {
        for (const Node& item : package.find(key)->items) {
          list.items.push_back(shared_node(item));
        }
      }
      number(list);
      return list;
    };
    for (const std::string_view key : {"objects", "entities", "tables", "enums", "templates"}) {
      set(data_.model, key, all(key));
    }
    number(packages);
    set(data_.model, "packages", std::move(packages));
    add_root(data_.model);
    set_text(data_.model, "version", target_.project_version);
    return std::move(data_);
  }

 private:
  using Objects = std::map<std::string, std::vector<const Node*>>;  // by package

  Node with_names(const std::string& name) const { return names_.named(name); }

  void add_root(Node& node) const {
    Node options = object_node();
    for (const auto& [key, value] : target_.options) {
      set(options, key,
          value == "true" || value == "false" ? boolean_node(value == "true") : text_node(value));
      // A template cannot compare: options.style_pydantic is true when style is pydantic.
      set(options, key + "_" + value, boolean_node(true));
    }
    set(node, "options", std::move(options));
    set_text(node, "target", target_.name);
  }

  // --- fields
  std::string language_type(const Field& field, const Object& object) const {
    std::string key = metadata::to_string(field.type);
    if (field.type == FieldType::Timestamp && field.local_time &&
        pack_.types.contains("timestamp.local")) {
      key = "timestamp.local";
    }
    for (const auto& [option, value] : target_.options) {
      const std::string special = key + "." + option + "=" + value;
      key = pack_.types.contains(special) ? special : key;
    }
    const auto found = pack_.types.find(key);
    std::string type = found != pack_.types.end() ? found->second : "";
    if (type.empty()) {
      throw Error(Problem{codes::ERR_PACK_TYPE_UNMAPPED,
                          "pack " + pack_.name + " has no type for " + key +
                              ", the type of field '" + field.name + "' of " +
                              object.qualified_name,
                          field.place.where,
                          "add it to types: in " + pack_.file,
                          {}});
    }
    type = base::replace_all(std::move(type), "{Enum}", names_.enum_name(field, object));
    return base::replace_all(std::move(type), "{Object}", names_.type_name(field.object_ref));
  }

  static std::string wrapped(const std::string& form, const std::string& type) {
    return base::replace_all(form, "{}", type);
  }

  Node build_field(const Field& field, const Object& object) const {
    const metadata::Identity* key = metadata::find_primary(object);
    const bool is_key = key != nullptr && contains(key->shape.fields, field.name);
    const bool nullable = !field.required && !is_key;
    Node node = with_names(field.name);
    const std::string type = metadata::to_string(field.type);
    set_text(node, "type", type);
    set(node, "is" + pascal_case(type), boolean_node(true));
    set(node, "required", boolean_node(field.required));
    set(node, "isArray", boolean_node(field.is_array));
    set(node, "nullable", boolean_node(nullable));
    set(node, "isKey", boolean_node(is_key));
    const bool database_key = is_key && (key->generation == metadata::Generation::Increment ||
                                         key->generation == metadata::Generation::Uuid);
    set(node, "generated", boolean_node(database_key));
    set(node, "localTime", boolean_node(field.local_time));
    set(node, "filterable", boolean_node(field.filterable));
    set(node, "sortable", boolean_node(field.sortable));
    set(node, "derived", boolean_node(field.is_derived()));
    set(node, "defaulted",
        boolean_node(nullable || database_key || field.default_value.has_value() ||
                     field.auto_set != metadata::AutoSet::None));
    set_text(node, "mutability",
             field.read_only            ? "readOnly"
             : field.mutability.empty() ? "readWrite"
                                        : field.mutability);
    set_text(node, "column", field.column);
    set_text(node, "columnLiteral", tables_.literal(field.column));
    set_text(node, "member", member_name(field, object));
    add_optional(node, field);
    const std::string base = language_type(field, object);
    const std::string lang = field.is_array ? wrapped(pack_.list, base) : base;
    set_text(node, "langBase", base);
    set_text(node, "langElement", lang);
    set_text(node, "lang", nullable ? wrapped(pack_.nullable, lang) : lang);
    set_text(node, "sqlType", tables_.sql_type(object, field.column));
    set_text(node, "jsonSchema",
             field_schema(field, nullable, names_.type_name(field.object_ref), schema_refs()));
    add_references(node, field, object);
    return node;
  }

  SchemaRefs schema_refs() const {
    return pack_.header == Pack::Header::JsonSchema ? SchemaRefs::Local : SchemaRefs::Components;
  }

  static bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }

  static void add_optional(Node& node, const Field& field) {
    const auto number_of = [&](std::string_view key, const std::optional<std::int64_t>& value) {
      if (value) {
        set(node, key, integer_node(*value));
      }
    };
    number_of("maxLength", field.max_length);
    number_of("precision", field.precision);
    number_of("scale", field.scale);
    if (field.default_value) {
      set_text(node, "default", field.default_value->text);
    }
    if (field.type == FieldType::Currency) {
      set_text(node, "currency", field.currency);
    }
    if (field.auto_set != metadata::AutoSet::None) {
      set_text(node, "autoSet",
               field.auto_set == metadata::AutoSet::OnCreate ? "onCreate" : "onUpdate");
    }
    add_description(node, field.documentation.description);
    if (!field.values.empty()) {
      Node values = list_node();
      for (const std::string& value : field.values) {
        values.items.push_back(text_node(value));
      }
      set(node, "enumValues", std::move(values));
    }
  }

  void add_references(Node& node, const Field& field, const Object& object) const {
    if (field.type == FieldType::Enum) {
      set_text(node, "enumName", names_.enum_name(field, object));
    }
    if (field.type == FieldType::Object) {
      set_text(node, "objectRef", field.object_ref);
      set_text(node, "objectType", names_.type_name(field.object_ref));
      set(node, "isRecursive",
          boolean_node(names_.reaches(field.object_ref, object.qualified_name)));
    }
  }

  // Some languages do not let a member have the name of its type.
  std::string member_name(const Field& field, const Object& object) const {
    const std::string name = identifier(pascal_case(field.name), pack_.reserved);
    return name == names_.type_name(object.qualified_name) ? name + "_" : name;
  }

  // --- objects
  Node build_object(const Object& object) {
    Node node = with_names(object.name);
    add_package(node, object.package);
    set_text(node, "fqn", object.qualified_name);
    set_text(node, "typeName", names_.type_name(object.qualified_name));
    set_text(node, "kind", kind_name(object));
    set(node, "isEntity", boolean_node(object.kind == Object::Kind::Entity));
    set(node, "isProjection", boolean_node(kind_name(object) == "projection"));
    set(node, "isValue", boolean_node(object.kind == Object::Kind::Value));
    set_text(node, "segment", rest_segment(object.name));
    add_description(node, object.documentation.description);
    add_fields(node, object);
    tables_.add_table(node, object);
    add_keys(node, object);
    add_enums(node, object);
    add_imports(node, object);
    if (pack_.header == Pack::Header::JsonSchema) {
      set_text(node, "schemaJson", titled_schema(model_, object, names_));
    }
    Node source = object_node();
    set_text(source, "file", object.place.where.file);
    set(source, "line", integer_node(static_cast<std::int64_t>(object.place.where.line)));
    set(node, "source", std::move(source));
    add_root(node);
    return node;
  }

  void add_fields(Node& node, const Object& object) const {
    Node fields = list_node();
    fields.items.reserve(object.fields.size());  // the other lists point into it
    Node settable = list_node();
    Node creatable = list_node();
    Node stored = list_node();
    for (const Field& field : object.fields) {
      fields.items.push_back(build_field(field, object));
      const Node& item = fields.items.back();
      const bool key = item.find("isKey")->text == "true";
      const bool read_only = field.read_only || field.mutability == "readOnly";
      const bool fixed = read_only || field.mutability == "writeOnce" || field.is_derived() ||
                         field.auto_set != metadata::AutoSet::None ||
                         field.name == object.discriminator;
      if (!key && !fixed) {
        settable.items.push_back(shared_node(item));
      }
      if (!field.is_derived() && item.find("generated")->text != "true") {
        creatable.items.push_back(shared_node(item));
      }
      if (field.storage != metadata::Storage::Flattened &&
          !(field.is_derived() && object.kind == Object::Kind::Entity)) {
        stored.items.push_back(shared_node(item));
      }
    }
    names_.check_members(object);
    for (auto& [key, list] : {std::pair<const char*, Node*>{"fields", &fields},
                              {"settable", &settable},
                              {"creatable", &creatable},
                              {"stored", &stored}}) {
      number(*list);
      set(node, key, std::move(*list));
    }
  }

  static Node texts(const std::vector<std::string>& names, const Object* object) {
    Node list = list_node();
    for (const std::string& name : names) {
      const Field* field = object != nullptr ? metadata::find_field(*object, name) : nullptr;
      Node item = object_node();
      set_text(item, "name", name);
      set_text(item, "column", field != nullptr ? field->column : name);
      list.items.push_back(std::move(item));
    }
    number(list);
    return list;
  }

  void add_keys(Node& node, const Object& object) const {
    Node identities = list_node();
    for (const metadata::Identity& identity : object.identities) {
      Node item = with_names(identity.name.empty() ? "primary" : identity.name);
      const bool primary = identity.kind == metadata::Identity::Kind::Primary;
      set_text(item, "kind", primary ? "primary" : "secondary");
      set(item, "isPrimary", boolean_node(primary));
      set(item, "fields", texts(identity.shape.fields, &object));
      set(item, "columns", texts(identity.shape.fields, &object));
      if (const std::string generation = generation_name(identity.generation);
          !generation.empty()) {
        set_text(item, "generation", generation);
      }
      identities.items.push_back(std::move(item));
    }
    number(identities);
    set(node, "identities", std::move(identities));
    add_relationships(node, object);
    Node indexes = list_node();
    for (const metadata::LookupIndex& index : object.indexes) {
      Node item = with_names(index.name.empty() ? "index" : index.name);
      set(item, "fields", texts(index.shape.fields, &object));
      indexes.items.push_back(std::move(item));
    }
    number(indexes);
    set(node, "indexes", std::move(indexes));
  }

  void add_relationships(Node& node, const Object& object) const {
    Node relationships = list_node();
    for (const metadata::Relationship& relationship : object.relationships) {
      Node item = with_names(relationship.name);
      set_text(item, "cardinality", relationship.many ? "many" : "one");
      set(item, "many", boolean_node(relationship.many));
      set_text(item, "targetRef", relationship.target);
      set(item, "target", names_.target_node(relationship.target));
      relationships.items.push_back(std::move(item));
    }
    number(relationships);
    set(node, "relationships", std::move(relationships));
    Node references = list_node();
    for (const metadata::Reference& reference : object.references) {
      Node item = with_names(reference.name.empty() ? "reference" : reference.name);
      set(item, "fields", texts(reference.fields, &object));
      set(item, "target", names_.target_node(reference.target));
      references.items.push_back(std::move(item));
    }
    number(references);
    set(node, "references", std::move(references));
  }

  // A shared enum belongs to the package that declares it, whoever uses it.
  static std::string enum_package(const Field& field, const Object& object) {
    const std::size_t at = field.extends_top.rfind("::");
    return field.extends_top.empty() ? object.package
           : at == std::string::npos ? std::string()
                                     : field.extends_top.substr(0, at);
  }

  Node enum_node(const Field& field, const Object& object) const {
    Node node = with_names(names_.enum_name(field, object));
    set_text(node, "typeName", names_.enum_name(field, object));
    add_package(node, enum_package(field, object));
    Node values = list_node();
    for (const std::string& value : field.values) {
      Node item = with_names(value);
      set_text(item, "value", value);
      set_text(item, "nameUpper", identifier(upper_case(value), pack_.reserved));
      values.items.push_back(std::move(item));
    }
    number(values);
    set(node, "values", std::move(values));
    return node;
  }

  void add_enums(Node& node, const Object& object) {
    std::map<std::string, Node> by_package;
    Node enums = list_node();
    std::set<std::string> seen;
    for (const Field& field : object.fields) {
      if (field.type == FieldType::Enum && seen.insert(names_.enum_name(field, object)).second) {
        const std::string package = enum_package(field, object);
        enums.items.push_back(enum_node(field, object));
        by_package.try_emplace(package, list_node())
            .first->second.items.push_back(enums.items.back());
        if (enums_seen_.insert(names_.enum_name(field, object)).second) {
          enums_[package].push_back(enums.items.back());
        }
      }
    }
    number(enums);
    set(node, "enums", std::move(enums));
    Node imports = list_node();
    for (auto& [package, list] : by_package) {
      Node item = object_node();
      add_path_to(item, object.package, package);
      number(list);
      set(item, "enums", std::move(list));
      imports.items.push_back(std::move(item));
    }
    number(imports);
    set(node, "enumImports", std::move(imports));
  }

  // How a file of one package names one of another.
  void add_path_to(Node& item, const std::string& from, const std::string& package) const {
    add_package(item, package);
    set(item, "samePackage", boolean_node(package == from));
    set_text(item, "dotted", dotted_from(from, package));
    set_text(item, "relative",
             package == from
                 ? "./"
                 : up_from(from) + package_segments(package, "/") + (package.empty() ? "" : "/"));
  }

  void add_imports(Node& node, const Object& object) const {
    std::set<std::string> wanted;
    for (const Field& field : object.fields) {
      if (field.type == FieldType::Object && field.object_ref != object.qualified_name) {
        wanted.insert(field.object_ref);
      }
    }
    Node imports = list_node();
    const std::string up = up_from(object.package);
    for (const std::string& qualified : wanted) {
      Node item = names_.target_node(qualified);
      add_path_to(item, object.package, std::string(item.find("package")->text));
      set(item, "isRecursive", boolean_node(names_.reaches(qualified, object.qualified_name)));
      imports.items.push_back(std::move(item));
    }
    number(imports);
    set(node, "imports", std::move(imports));
    set_text(node, "up", up);
  }

  // The words of a package, none of them reserved in the language.
  std::string package_segments(const std::string& package, std::string_view between) const {
    std::vector<std::string> segments;
    for (const std::string& segment : base::split(package_path(package), '/')) {
      segments.push_back(identifier(segment, pack_.reserved));
    }
    return base::join(segments, between);
  }

  void add_package(Node& node, const std::string& package) const {
    set_text(node, "package", package);
    set_text(node, "packagePath", package_segments(package, "/"));
    set_text(node, "packageDots", package_segments(package, "."));
  }

  // "." inside one package, else dots to the top and the other package: Python's relative imports.
  std::string dotted_from(const std::string& package, const std::string& other) const {
    if (package == other) {
      return ".";
    }
    std::string dots(package.empty() ? 1 : 2, '.');
    for (std::size_t at = package.find("::"); at != std::string::npos;
         at = package.find("::", at + 2)) {
      dots += ".";
    }
    return dots + package_segments(other, ".") + (other.empty() ? "" : ".");
  }

  static std::string up_from(const std::string& package) {
    std::string up = package.empty() ? "./" : "../";
    for (std::size_t at = package.find("::"); at != std::string::npos;
         at = package.find("::", at + 2)) {
      up += "../";
    }
    return up;
  }

  // --- packages and templates
  void add_templates() {
    for (const metadata::Template& node : model_.templates) {
      if (node.is_abstract || !is_in_scope(target_, node.qualified_name)) {
        continue;
      }
      Node data = with_names(node.name);
      add_package(data, node.package);
      set_text(data, "fqn", node.qualified_name);
      set_text(data, "subtype",
               node.kind == metadata::Template::Kind::Prompt   ? "prompt"
               : node.kind == metadata::Template::Kind::Output ? "output"
                                                               : "toolcall");
      set_text(data, "payload", node.payload_ref);
      set_text(data, "payloadType", names_.type_name(node.payload_ref));
      set_flagged_text(data, "response", node.response_ref);
      set_flagged_text(data, "toolName", node.tool_name);
      set_flagged_text(data, "owner", node.owner);
      set_flagged_text(data, "since", node.since);
      add_description(data, node.documentation.description);
      set_text(data, "format", node.format);
      set_text(data, "schemaJson", template_schema(model_, node, names_));
      Node parts = list_node();
      for (const auto& [part, reference] :
           std::initializer_list<std::pair<const char*, const std::string&>>{
               {"text", node.text_ref},
               {"subject", node.subject_ref},
               {"html", node.html_body_ref},
               {"plain", node.text_body_ref}}) {
        if (!reference.empty()) {
          Node item = object_node();
          set_text(item, "name", part);
          set_text(item, "ref", reference);
          parts.items.push_back(std::move(item));
        }
      }
      number(parts);
      set(data, "parts", std::move(parts));
      add_root(data);
      data_.templates.push_back({&node, std::move(data)});
    }
  }

  static void set_flagged_text(Node& node, std::string_view key, const std::string& text) {
    if (!text.empty()) {
      set_text(node, key, text);
    }
  }

  void add_packages(const Objects& objects) {
    std::set<std::string> packages;
    for (const auto& [package, list] : objects) {
      packages.insert(package);
    }
    for (const TemplateData& item : data_.templates) {
      packages.insert(item.node->package);
    }
    for (const auto& [package, list] : enums_) {
      packages.insert(package);
    }
    for (const std::string& package : packages) {
      data_.packages.push_back({package, build_package(package, objects)});
    }
  }

  Node build_package(const std::string& package, const Objects& objects) const {
    Node node = with_names(package.empty() ? "root" : package);
    add_package(node, package);
    set_text(node, "up", up_from(package));
    Node list = list_node();
    if (const auto found = objects.find(package); found != objects.end()) {
      for (const Node* object : found->second) {
        list.items.push_back(shared_node(*object));
      }
    }
    Node enums = list_node();
    if (const auto own = enums_.find(package); own != enums_.end()) {
      enums.items = own->second;
    }
    Node tables = list_node();
    for (const Node& object : list.items) {
      if (object.find("table") != nullptr) {
        tables.items.push_back(shared_node(object));
      }
    }
    Node templates = list_node();
    for (const TemplateData& item : data_.templates) {
      if (item.node->package == package) {
        templates.items.push_back(shared_node(item.data));
      }
    }
    number(list);
    number(enums);
    number(tables);
    number(templates);
    set(node, "entities", list);
    set(node, "objects", std::move(list));
    set(node, "enums", std::move(enums));
    set(node, "tables", std::move(tables));
    set(node, "templates", std::move(templates));
    add_root(node);
    return node;
  }

  const metadata::Model& model_;
  const Pack& pack_;
  const TargetSettings& target_;
  DataNames names_;
  TableData tables_;
  std::map<std::string, std::vector<Node>> enums_;  // by the package that they belong to
  std::set<std::string> enums_seen_;
  ModelData data_;
};

}  // namespace

bool is_in_scope(const TargetSettings& target, const std::string& qualified_name) {
  const auto any = [&](const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return matches_pattern(pattern, qualified_name);
    });
  };
  return (target.include.empty() || any(target.include)) && !any(target.exclude);
}

ModelData build_data(const metadata::Model& model, const Pack& pack, const TargetSettings& target) {
  return DataBuilder(model, pack, target).build();
}

}  // namespace kedge::codegen
