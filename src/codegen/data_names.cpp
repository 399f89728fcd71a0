#include "codegen/data_names.h"

#include "base/text.h"
#include "codegen/names.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using metadata::Object;

std::string last_segment(const std::string& qualified_name) {
  const std::size_t at = qualified_name.rfind("::");
  return at == std::string::npos ? qualified_name : qualified_name.substr(at + 2);
}

Problem collision(Code code, const std::string& what, const std::string& first,
                  const Position& first_at, const std::string& second, const Position& second_at) {
  return {code,
          "'" + first + "' and '" + second + "' both become " + what,
          second_at,
          "rename one of them",
          {{"the first one is here", first_at}}};
}

}  // namespace

DataNames::DataNames(const metadata::Model& model, const Pack& pack, const TargetSettings& target)
    : model_(model), pack_(pack) {
  name_objects(target);
}

void DataNames::name_objects(const TargetSettings& target) {
  std::map<std::string, std::vector<const Object*>> by_short;
  for (const Object& object : model_.objects) {
    const std::string name = pascal_case(object.name);
    if (object.is_abstract || !is_in_scope(target, object.qualified_name)) {
      type_names_[object.qualified_name] = type_identifier(name);
      continue;
    }
    std::vector<const Object*>& same = by_short[name];
    for (const Object* other : same) {
      if (other->package == object.package) {
        throw Error(collision(codes::ERR_GEN_NAME_COLLISION, name, other->qualified_name,
                              other->place.where, object.qualified_name, object.place.where));
      }
    }
    same.push_back(&object);
  }
  for (const auto& [name, same] : by_short) {
    for (const Object* object : same) {
      const std::string full = same.size() > 1 ? pascal_case(object->package) + name : name;
      const Code code =
          same.size() > 1 ? codes::ERR_PAYLOAD_NAME_COLLISION : codes::ERR_GEN_NAME_COLLISION;
      const std::string type = type_identifier(full);
      type_names_[object->qualified_name] = type;
      declare(type, object->qualified_name, object->place.where, code);
    }
  }
  declare_derived(target);
}

std::string DataNames::type_identifier(const std::string& name) const {
  const std::string spelt = identifier(name, pack_.reserved);
  return pack_.reserved_types.contains(spelt) ? spelt + "_" : spelt;
}

void DataNames::declare(const std::string& type, const std::string& what, const Position& where,
                        Code code) {
  const auto [known, added] = declared_.emplace(type, Declared{what, where});
  if (!added && known->second.what != what) {
    const bool payload = code == codes::ERR_PAYLOAD_NAME_COLLISION;
    throw Error(collision(payload ? code : codes::ERR_GEN_NAME_COLLISION, type, known->second.what,
                          known->second.where, what, where));
  }
}

// "{}Table" is made beside every object, "entity {}Patch" beside entities, "enum {}Text" beside
// enums.
void DataNames::declare_forms(std::string_view kind, const std::string& name,
                              const Declared& declared) {
  for (const std::string& form : pack_.derived) {
    const std::size_t blank = form.find(' ');
    const bool of_objects = blank == std::string::npos && kind != "enum";
    if (of_objects || form.substr(0, blank) == kind) {
      declare(base::replace_all(form.substr(form.rfind(' ') + 1), "{}", name), declared.what,
              declared.where, codes::ERR_GEN_NAME_COLLISION);
    }
  }
}

// What a pack makes beside the type of an object ("{}Patch"), and the types of enums.
void DataNames::declare_derived(const TargetSettings& target) {
  const auto enum_form = pack_.types.find("enum");
  const bool enums =
      enum_form != pack_.types.end() && enum_form->second.find("{Enum}") != std::string::npos;
  for (const Object& object : model_.objects) {
    if (object.is_abstract || !is_in_scope(target, object.qualified_name)) {
      continue;
    }
    const Declared self{object.qualified_name, object.place.where};
    declare_forms(object.kind == Object::Kind::Entity ? "entity" : "object",
                  type_names_.at(object.qualified_name), self);
    for (const metadata::Field& field : object.fields) {
      if (enums && field.type == metadata::FieldType::Enum) {
        const std::string what = field.extends_top.empty()
                                     ? object.qualified_name + "." + field.name
                                     : field.extends_top;
        declare_forms("enum", enum_name(field, object), {what, field.place.where});
        declare(base::replace_all(enum_form->second, "{Enum}", enum_name(field, object)), what,
                field.place.where, codes::ERR_GEN_NAME_COLLISION);
      }
    }
  }
}

document::Node DataNames::named(const std::string& name) const {
  document::Node node = object_node();
  set_text(node, "name", name);
  set_text(node, "Name", identifier(pascal_case(name), pack_.reserved));
  set_text(node, "nameCamel", identifier(camel_case(name), pack_.reserved));
  set_text(node, "nameSnake", identifier(snake_case(name), pack_.reserved));
  set_text(node, "nameUpper", identifier(upper_case(name), pack_.reserved));
  set_text(node, "nameKebab", kebab_case(name));
  return node;
}

document::Node DataNames::target_node(const std::string& qualified) const {
  const Object* target = metadata::find_object(model_, qualified);
  document::Node node = named(target != nullptr ? target->name : qualified);
  set_text(node, "package", target != nullptr ? target->package : "");
  set_text(node, "fqn", qualified);
  set_text(node, "typeName", type_name(qualified));
  return node;
}

std::string DataNames::type_name(const std::string& qualified_name) const {
  const auto found = type_names_.find(qualified_name);
  return found != type_names_.end() ? found->second : pascal_case(last_segment(qualified_name));
}

std::string DataNames::enum_name(const metadata::Field& field, const Object& object) const {
  if (!field.extends_top.empty()) {
    return type_identifier(pascal_case(last_segment(field.extends_top)));
  }
  return type_name(object.qualified_name) + pascal_case(field.name);
}

bool DataNames::reaches(const std::string& from, const std::string& to) const {
  std::set<std::string> seen;
  std::vector<std::string> pending = {from};
  while (!pending.empty()) {
    const std::string next = pending.back();
    pending.pop_back();
    if (next == to) {
      return true;
    }
    const Object* object = seen.insert(next).second ? metadata::find_object(model_, next) : nullptr;
    if (object == nullptr) {
      continue;
    }
    for (const metadata::Field& field : object->fields) {
      if (field.type == metadata::FieldType::Object) {
        pending.push_back(field.object_ref);
      }
    }
  }
  return false;
}

void DataNames::check_members(const Object& object) const {
  std::map<std::string, const metadata::Field*> taken;
  for (const metadata::Field& field : object.fields) {
    for (const std::string& spelt : {snake_case(field.name), camel_case(field.name)}) {
      const auto [other, added] = taken.emplace(spelt, &field);
      if (!added && other->second != &field) {
        throw Error(collision(codes::ERR_GEN_NAME_COLLISION,
                              other->first + " in " + object.qualified_name, other->second->name,
                              other->second->place.where, field.name, field.place.where));
      }
    }
    check_values(field, object);
  }
}

void DataNames::check_values(const metadata::Field& field, const Object& object) {
  std::map<std::string, std::string> taken;
  for (const std::string& value : field.values) {
    for (const std::string& spelt : {snake_case(value), camel_case(value)}) {
      const auto [other, added] = taken.emplace(spelt, value);
      if (!added && other->second != value) {
        throw Error(
            collision(codes::ERR_GEN_NAME_COLLISION,
                      other->first + " in the enum " + object.qualified_name + "." + field.name,
                      other->second, field.place.where, value, field.place.where));
      }
    }
  }
}

}  // namespace kedge::codegen
