// Single-table inheritance (spec/metadata.md 2.2).
#include <map>

#include "metadata/check.h"
#include "metadata/field_default.h"

namespace kedge::metadata {
namespace {

const Object* discriminated_ancestor(const Model& model, const Object& object) {
  const Object* each = object.extends.empty() ? nullptr : find_object(model, object.extends);
  const Object* found = nullptr;
  for (int depth = 0; each != nullptr && depth < 100; ++depth) {
    if (!each->discriminator.empty()) {
      found = each;
    }
    each = each->extends.empty() ? nullptr : find_object(model, each->extends);
  }
  return found;
}

class SubtypeCheck {
 public:
  SubtypeCheck(const Model& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics) {}

  void base_object(const Object& object) {
    if (object.discriminator.empty()) {
      return;
    }
    const Field* field = find_field(object, object.discriminator);
    if (field == nullptr) {
      diagnostics_.error(codes::ERR_DISCRIMINATOR_FIELD_NOT_FOUND,
                         "the discriminator of '" + object.name + "' names the field '" +
                             object.discriminator + "', which does not exist",
                         object.place);
    } else if (field->type != FieldType::Enum && field->type != FieldType::String &&
               field->type != FieldType::Int) {
      diagnostics_.error(
          codes::ERR_DISCRIMINATOR_VALUE_TYPE_MISMATCH,
          "the discriminator of '" + object.name + "' is an enum, string or int field",
          object.place);
    }
  }

  void subtype(const Object& object) {
    const Object* base_object = discriminated_ancestor(model_, object);
    if (base_object == nullptr || object.is_abstract) {
      return;
    }
    if (object.discriminator_value.empty()) {
      diagnostics_.error(codes::ERR_DISCRIMINATOR_VALUE_MISSING,
                         "'" + object.name + "' extends '" + base_object->name +
                             "' and needs '@discriminatorValue'",
                         object.place);
      return;
    }
    const Field* field = find_field(*base_object, base_object->discriminator);
    if (field != nullptr) {
      const std::string problem = literal_problem(*field, object.discriminator_value);
      if (!problem.empty()) {
        diagnostics_.error(codes::ERR_DISCRIMINATOR_VALUE_TYPE_MISMATCH,
                           "'@discriminatorValue' of '" + object.name + "': " + problem,
                           object.place);
      }
    }
    const auto [first, added] =
        seen_.emplace(std::pair(base_object->qualified_name, object.discriminator_value), &object);
    if (!added) {
      diagnostics_
          .error(codes::ERR_DISCRIMINATOR_VALUE_DUPLICATE,
                 "'" + object.name + "' and '" + first->second->name +
                     "' have the discriminator value '" + object.discriminator_value + "'",
                 object.place)
          .finding.problem.notes.push_back({"the other one", first->second->place.where});
    }
  }

 private:
  const Model& model_;
  Diagnostics& diagnostics_;
  std::map<std::pair<std::string, std::string>, const Object*> seen_;
};

}  // namespace

void check_subtypes(const Model& model, Diagnostics& diagnostics) {
  SubtypeCheck check(model, diagnostics);
  for (const Object& object : model.objects) {
    if (discriminated_ancestor(model, object) == nullptr) {
      check.base_object(object);
    }
    check.subtype(object);
  }
}

}  // namespace kedge::metadata
