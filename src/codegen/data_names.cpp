#include "codegen/data_names.h"

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
      type_names_[object.qualified_name] = identifier(name, pack_.reserved);
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
  std::map<std::string, const Object*> taken;
  for (const auto& [name, same] : by_short) {
    for (const Object* object : same) {
      const std::string full = same.size() > 1 ? pascal_case(object->package) + name : name;
      const auto [other, added] = taken.emplace(full, object);
      if (!added) {
        throw Error(collision(codes::ERR_PAYLOAD_NAME_COLLISION, full,
                              other->second->qualified_name, other->second->place.where,
                              object->qualified_name, object->place.where));
      }
      type_names_[object->qualified_name] = identifier(full, pack_.reserved);
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

std::string DataNames::type_name(const std::string& qualified_name) const {
  const auto found = type_names_.find(qualified_name);
  return found != type_names_.end() ? found->second : pascal_case(last_segment(qualified_name));
}

std::string DataNames::enum_name(const metadata::Field& field, const Object& object) const {
  if (!field.extends_top.empty()) {
    return identifier(pascal_case(last_segment(field.extends_top)), pack_.reserved);
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
    const auto [other, added] = taken.emplace(snake_case(field.name), &field);
    if (!added) {
      throw Error(collision(codes::ERR_GEN_NAME_COLLISION,
                            other->first + " in " + object.qualified_name, other->second->name,
                            other->second->place.where, field.name, field.place.where));
    }
  }
}

}  // namespace kedge::codegen
